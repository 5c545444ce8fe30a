"""Gaussian-process regression of several outputs."""

from numbers import Integral, Real
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from credo.beliefs import Belief, MultivariateNormal, UncertaintyBudget
from credo.infer.gaussian.learning import Learned, learn_process
from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.outputs import OutputsPosterior, SeparateOutputs, SharedOutputs, mixing_start, stacked
from credo.infer.gaussian.process import NoNoise, Process
from credo.kernels import Kernel, Matern52, On
from credo.kernels.columns import require_exact_inputs
from credo.models.base import Regressor
from credo.models.gp.defaults import default_kernel, output_noise, starting_process
from credo.models.gp.scaling import Standardization
from credo.models.gp.size import cost_of, require_affordable
from credo.numerics.certificate import Solution, worst_of
from credo.numerics.concrete import placed
from credo.numerics.constraints import Fixed
from credo.numerics.padding import filled, merge_rows
from credo.numerics.parameters import flatten
from credo.numerics.progress import Tracker, tracker
from credo.numerics.random import RandomState, as_key, as_seed
from credo.represent.validation import checked_features

__all__ = ["MultiOutputGPRegressor"]

Sharing = Literal["coregionalized", "independent"]


class MultiOutputGPRegressor(Regressor):
    r"""Gaussian-process regression of several outputs, y of shape n × p.

    ``"coregionalized"``: $f_o(x) = \sum_j W_{oj} u_j(x) + \sqrt{\kappa_o}\, v_o(x)$ with independent $u_j, v_o \sim
    \mathcal{GP}(0, k)$, so that an output is also learnt from the others: the covariance of $f_o(x)$ and $f_q(x')$ is
    $(WW^\top + \mathrm{diag}\,\kappa)_{oq}\, k(x, x')$ (intrinsic coregionalization; Álvarez, Rosasco and Lawrence
    2012, section 4.2). ``"independent"``: every output has its own process and parameters. Measurements of the outputs
    at one row have independent noise, of a variance an output. The belief covers noise and what is unknown about f;
    with few rows also what is unknown about the parameters, as the normal with the mean and covariance of the average
    over them. Coregionalized, a fit costs as that of a [](#credo.models.GPRegressor) on n·p rows; independent, as p
    fits on n.

    Where outputs were not all measured at the same rows, give `GPRegressor` the kernel ``On(k, columns) *
    On(Coregionalization(...), [-1])`` and rows with the number of the output in the last column.

    Parameters
    ----------
    sharing : "coregionalized" or "independent"
    rank : int
        Functions that coregionalized outputs share; at most p are used.
    kernel : Kernel or None
        Of the inputs; None is Matérn-5/2 with a length-scale per column.
    noise_variance : None or float
        None learns one an output; a number is known and held, in the units of `standardize`.
    inference : "auto", "map", "ml" or None
        The mode under the priors, the maximum of the evidence, or the given values as they are. ``"auto"`` averages
        over weighted draws of the parameters where there are at most 200 measurements of a process and at most 20 for
        each parameter, and takes the mode otherwise.
    n_restarts : int
        Random starts beside the given one.
    standardize : bool
        Work in units where every output and every column that is a number has mean zero and standard deviation one.
        Columns that the kernel reads as codes (categories, letters, nodes) stay as they are.
    random_state : int, generator or None

    Attributes
    ----------
    correlation\_ : ndarray, p × p
        Of the functions with each other, before the data.
    noise_variance\_ : ndarray, p
        In squared units of y.
    log_evidence\_ : float
        $\log p(Y \mid X)$ in the units of y.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0.0, 6.0, 20)[:, None]
    >>> Y = np.hstack([np.sin(X), 1.0 - 2.0 * np.sin(X)])
    >>> gp = MultiOutputGPRegressor(n_restarts=0, random_state=0).fit(X, Y)
    >>> gp.predict([[1.5], [3.0]]).round(1)
    array([[ 1. , -1. ],
           [ 0.1,  0.7]])
    >>> bool(gp.correlation_[0, 1] < -0.9)
    True
    """

    _parameter_constraints = {  # noqa: RUF012
        "sharing": [StrOptions({"coregionalized", "independent"})],
        "rank": [Interval(Integral, 1, None, closed="left")],
        "kernel": [Kernel, None],
        "noise_variance": [Interval(Real, 0, None, closed="left"), None],
        "inference": [StrOptions({"auto", "map", "ml"}), None],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "standardize": ["boolean"],
        "random_state": ["random_state"],
    }

    correlation_: np.ndarray
    noise_variance_: np.ndarray
    log_evidence_: float
    outputs_: OutputsPosterior
    scaling_: Standardization
    one_dimensional_: bool

    def __init__(
        self,
        *,
        sharing: Sharing = "coregionalized",
        rank: int = 1,
        kernel: Kernel | None = None,
        noise_variance: float | None = None,
        inference: Literal["auto", "map", "ml"] | None = "auto",
        n_restarts: int = 4,
        standardize: bool = True,
        random_state: Any = None,
    ) -> None:
        self.sharing = sharing
        self.rank = rank
        self.kernel = kernel
        self.noise_variance = noise_variance
        self.inference = inference
        self.n_restarts = n_restarts
        self.standardize = standardize
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        who, d = type(self).__name__, X.shape[1]
        Y = y.reshape(len(y), -1)
        (X, Y), w, _ = merge_rows(X, Y, weights=w)
        kernel = default_kernel(d) if self.kernel is None else self.kernel
        kernel.require_points(placed(X), who)
        require_exact_inputs(kernel, who)
        if self.standardize:
            scaling = Standardization.of(X, Y, w, kernel.column_roles(d, who))
        else:
            scaling = Standardization.identity(d, Y.shape[1])
        Z, T = scaling.inputs(X), scaling.targets(Y)
        rng = np.random.default_rng(as_seed(self.random_state))
        learn = self._shared if self.sharing == "coregionalized" and Y.shape[1] > 1 else self._separate
        with tracker(who) as progress:
            solution = learn(Z, T, w, rng, progress)
        self.outputs_, self.certificate_ = solution.value, solution.certificate
        self.scaling_, self.one_dimensional_ = scaling, y.ndim == 1
        self.correlation_ = self.outputs_.correlation
        scale = np.asarray(scaling.target_scale)
        self.noise_variance_ = np.asarray(self.outputs_.noise(placed(Z[:1])))[0] * scale**2
        evidence = sum(float(posterior.evidence.total) for posterior in self.outputs_.posteriors)
        # A density in the units of y. Repeats of a row without noise count once, as they do in the evidence.
        count = np.sum(w) if np.all(self.noise_variance_ > 0.0) else len(np.unique(X, axis=0))
        self.log_evidence_ = evidence - float(count * np.sum(np.log(scale)))

    def _separate(
        self, Z: np.ndarray, T: np.ndarray, w: np.ndarray, rng: np.random.Generator, progress: Tracker
    ) -> Solution[OutputsPosterior]:
        who = type(self).__name__
        process = starting_process(who, self.kernel, "zero", self.noise_variance, Z.shape[1], known=False)
        found = [self._learned(process, Z, t, w, rng, progress) for t in T.T]
        learned = [one.value for one in found]
        separate = SeparateOutputs(tuple(one.posterior for one in learned), tuple(one.average for one in learned))
        return Solution(separate, worst_of([one.certificate for one in found]))

    def _shared(
        self, Z: np.ndarray, T: np.ndarray, w: np.ndarray, rng: np.random.Generator, progress: Tracker
    ) -> Solution[OutputsPosterior]:
        who, (n, d), p = type(self).__name__, Z.shape, T.shape[1]
        kernel = self.kernel
        if kernel is None:  # the outputs have their variances, and one factor more would have no value of its own
            kernel = Matern52(variance=Fixed(1.0), lengthscale=default_kernel(d).lengthscale)  # type: ignore[arg-type]
        kernel.require_columns(d, who)
        outputs = mixing_start(T, w, min(self.rank, p))
        together = On(kernel, tuple(range(d))) * On(outputs, (d,))
        process = Process(together, ZeroMean(), output_noise(self.noise_variance, p))
        rows = np.asarray(stacked(placed(Z), p))
        found = self._learned(process, rows, T.reshape(n * p), np.repeat(w, p), rng, progress)
        return Solution(SharedOutputs(found.value.posterior, found.value.average), found.certificate)

    def _learned(
        self, process: Process, Z: np.ndarray, t: np.ndarray, w: np.ndarray, rng: np.random.Generator, progress: Tracker
    ) -> Solution[Learned]:
        who = type(self).__name__
        data, _ = observations(Z, t, w, noiseless=isinstance(process.noise, NoNoise), who=who)
        require_affordable(who, data.rows, cost_of(self.inference, len(flatten(process).vector)))
        return learn_process(
            process, data, self.inference, n_restarts=self.n_restarts, rng=rng, progress=progress, who=who
        )

    def _belief(self, X: np.ndarray) -> Belief:
        return self._of_rows(X, measured=True)

    def _points(self, X: np.ndarray) -> np.ndarray:
        """Rows in standard units; refused where they are not points of the kernel."""
        if self.kernel is not None:
            self.kernel.require_points(placed(X), type(self).__name__)
        return self.scaling_.inputs(X)

    def _of_rows(self, X: np.ndarray, *, measured: bool) -> Belief:
        Z = placed(self._points(X))
        mean, covariance, noise, computation = self.outputs_.moments(Z)
        noise = noise * float(measured)
        shift, scale = self.scaling_.target_shift, self.scaling_.target_scale
        whole = covariance + noise[:, :, None] * jnp.eye(mean.shape[1])
        belief = MultivariateNormal(shift + scale * mean, whole * scale[:, None] * scale[None, :])
        parameter = jnp.diagonal(covariance, axis1=-2, axis2=-1) - computation
        parts = {"noise": scale**2 * noise, "parameter": scale**2 * parameter, "computation": scale**2 * computation}
        if not self.one_dimensional_:
            return belief.with_budget(UncertaintyBudget(**parts))
        budget = UncertaintyBudget(**{name: part[:, 0] for name, part in parts.items()})
        return belief.marginals()[:, 0].with_budget(budget)

    def posterior(self, X: Any) -> Belief:
        """The belief about the functions at each row of X, noise left out, with their covariance at that row."""
        X = checked_features(self, X)
        return self._of_rows(filled(X), measured=False)[: len(X)]

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
        """``(low, high)``, n × p each: where a new observation of an output lies with probability `level`."""
        belief, rows = self._padded_belief(X)
        single = belief.marginals() if isinstance(belief, MultivariateNormal) else belief
        low, high = single.interval(level)
        return np.asarray(low)[:rows], np.asarray(high)[:rows]

    def sample(self, X: Any, n: int = 1, random_state: RandomState = None) -> np.ndarray:
        """n draws of all functions at all rows of X together, n × m × p."""
        Z = placed(self._points(checked_features(self, X)))
        draws = self.outputs_.draws(Z, n, as_key(random_state))
        return np.asarray(self.scaling_.target_shift + self.scaling_.target_scale * draws)
