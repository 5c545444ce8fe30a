"""Gaussian-process regression."""

import dataclasses
from numbers import Integral, Real
from typing import Any, Self

import equinox as eqx
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from credo.infer.gaussian.averaged import AveragedPosterior, updated
from credo.infer.gaussian.learning import Inference, learn_process, reweighted, with_factor
from credo.infer.gaussian.observations import Observations, measured_before, observations
from credo.infer.gaussian.posterior import GPPosterior
from credo.infer.gaussian.process import Noise, NoNoise, Process
from credo.infer.gaussian.selection import Optimum
from credo.infer.gaussian.surface import EvidenceSurface, evidence_surface, parameter_values
from credo.infer.gaussian.varying_noise import varying_noise
from credo.infer.mcmc import Draws
from credo.kernels import Kernel
from credo.kernels.input_moments import quadrature_nodes
from credo.models.gp.defaults import default_kernel, starting_process
from credo.models.gp.functions import FunctionRegressor, checked_noise
from credo.models.gp.scaling import Standardization
from credo.models.gp.size import cost_of, expected_seconds, require_affordable
from credo.numerics.certificate import Certificate
from credo.numerics.concrete import placed
from credo.numerics.constraints import Constraint
from credo.numerics.padding import bucket, filled, merge_rows
from credo.numerics.parameters import flatten
from credo.numerics.progress import tracker
from credo.numerics.random import as_seed
from credo.represent.validation import unchanged

__all__ = ["GPRegressor"]

_MEDIAN = "new observations have the median of the known noise of the training rows, unless noise= is passed"
_INPUTS = (
    "observations at uncertain inputs are normal distributions with the mean and variance that they have over them"
)
_CONSTANT = "the targets are all equal: how wide the interval is comes from the prior"


class GPRegressor(FunctionRegressor):
    r"""Gaussian-process regression: a belief over functions, conditioned on the rows.

    $y = f(x) + \varepsilon$ with $f \sim \mathcal{GP}(m, k)$ and $\varepsilon \sim \mathcal N(0, \sigma^2)$; exact
    posterior and evidence (Rasmussen and Williams 2006, chapter 2). The interval covers noise and what is unknown about
    f. With few rows it also covers what is unknown about the kernel's parameters: at their most likely values the
    intervals would be too narrow. It assumes Gaussian noise and that the kernel is right about smoothness. A fit costs
    some 30 to 60 times n³ operations, a prediction n² a row, n the number of distinct rows; averaging over the
    parameters costs some hundred times n³ more, and a prediction up to 128 times as much.

    A fit that is expected to take ten seconds or more first states its time on stderr and then shows its progress,
    unless [](#credo.numerics.show_progress) switches that off.

    Parameters
    ----------
    kernel : Kernel or None
        None is Matérn-5/2 with a length-scale per column. With [](#credo.kernels.Expected), inputs have a variance.
    mean : "zero", "constant", "linear", a Mean or a module
        Coefficients of "constant", "linear" and of a given `ConstantMean`, `LinearMean` or `BasisMean` are integrated
        out under their normal prior, as by generalized least squares (Rasmussen and Williams 2006, §2.7): the trend is
        a further term of ``kernel_``, and its uncertainty is in the interval. The weights of a module are learned, and
        their uncertainty is not. With ``inference=None`` a given mean is held as it is.
    noise_variance : None, float, a constraint, or "varying"
        None learns it; a number is known and held; ``Positive(0.1)`` starts the search there. ``"varying"`` learns a
        noise that depends on x, by a second process on its logarithm, taken at its most likely value.
    inference : "auto", "map", "ml", "mcmc", "nuts" or None
        What is done about the parameters. ``"map"`` takes the mode under the priors (of modes that half a nat a
        parameter does not tell apart, the one that predicts points left out best), ``"ml"`` the maximum of the
        evidence. ``"mcmc"`` and ``"nuts"`` average over draws by slice sampling or by the No-U-Turn sampler. ``"auto"``
        averages over weighted draws around the modes where there are at most 200 rows and at most 20 for each
        parameter, and takes the mode otherwise; it needs no chain and depends on the data alone. None takes the given
        values as they are.
    n_restarts : int
        Random starts beside the given one.
    standardize : bool
        Work in units where y and every column that is a number have mean zero and standard deviation one. Columns that
        the kernel reads as codes (categories, letters, nodes) stay as they are. Parameters of `kernel`, `mean` and
        `noise_variance` are in these units; evidence, leave-one-out and predictions are always in yours.
    random_state : int, generator or None

    Attributes
    ----------
    kernel\_ : Kernel
        With its learnt parameters, in the units of `standardize`.
    noise_variance\_ : float
        In squared units of y: the average over the rows where it differs.
    typical_noise\_ : float
        Variance that predictions take for the known noise of a new row unless they are given one, in squared units of
        y: the median of the `noise` of the rows of `fit`, 0 where there was none.
    log_evidence\_ : float
        $\log p(y \mid X)$ at these parameters; ``evidence_`` has it as fit, complexity and constant.
    optima\_ : tuple of Optimum
        The distinct local optima found: the one that was taken, then the highest first.
    loo\_ : Belief
        Of each row of fit from all other rows, in closed form.
    draws\_ : Draws or None
        Of the free parameters, with ``inference="mcmc"`` or ``"nuts"``.
    average\_ : AveragedPosterior or None
        The posteriors that predictions average over. `kernel_`, `noise_variance_` and `log_evidence_` are at the best
        single parameters all the same.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.linspace(0.0, 10.0, 30)[:, None]
    >>> gp = GPRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
    >>> low, high = gp.predict_interval([[5.15]], level=0.9)
    >>> bool(low[0] < np.sin(5.15) < high[0])
    True
    """

    _parameter_constraints = {  # noqa: RUF012
        "kernel": [Kernel, None],
        "mean": [StrOptions({"zero", "constant", "linear"}), eqx.Module],
        "noise_variance": [Interval(Real, 0, None, closed="left"), StrOptions({"varying"}), Constraint, Noise, None],
        "inference": [StrOptions({"auto", "map", "ml", "mcmc", "nuts"}), None],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "standardize": ["boolean"],
        "random_state": ["random_state"],
    }

    optima_: tuple[Optimum, ...]
    draws_: Draws | None
    average_: AveragedPosterior | None

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        mean: Any = "zero",
        noise_variance: Any = None,
        inference: Inference = "auto",
        n_restarts: int = 4,
        standardize: bool = True,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.mean = mean
        self.noise_variance = noise_variance
        self.inference = inference
        self.n_restarts = n_restarts
        self.standardize = standardize
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, noise: Any = None) -> Self:
        """Learn from rows X (n × d), targets y and frequency weights.

        `noise` is the known variance of each row's measurement, in squared units of y: error bars squared. Further
        noise is then learned only if `noise_variance` is given. New rows have the median of `noise`, unless
        `predict_dist` or `predict_interval` is given another. A failed fit leaves the object as it was.
        """
        with unchanged(self, only_on_failure=True):
            X, y, w = self._checked(X, y, sample_weight, reset=True)
            known = None if noise is None else checked_noise(type(self).__name__, noise, len(y))
            there = w > 0
            self._learn_rows(X[there], y[there], w[there], None if known is None else known[there])
        return self

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        self._learn_rows(X, y, w, None)

    def _learn_rows(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, known: np.ndarray | None) -> None:
        who, d = type(self).__name__, X.shape[1]
        noise = np.zeros(len(y)) if known is None else known
        # Equal rows as one row with a weight, in one order: what follows cannot tell a weight of two from two rows.
        (X, y_once, noise), w, rows = merge_rows(X, y, noise, weights=w)
        kernel = default_kernel(d) if self.kernel is None else self.kernel
        kernel.require_points(placed(X), who)
        roles = kernel.column_roles(d, who)
        scaling = Standardization.of(X, y_once, w, roles) if self.standardize else Standardization.identity(d)
        start = varying_noise(scaling.inputs(X)) if self.noise_variance == "varying" else self.noise_variance
        integrate = self.inference is not None
        process = starting_process(who, kernel, self.mean, start, d, known=known is not None, integrate=integrate)
        data, sites = self._observed(process, scaling, X, y_once, w, noise)
        free = len(flatten(process).vector)
        require_affordable(who, data.rows, cost_of(self.inference, free))
        rng = np.random.default_rng(as_seed(self.random_state))
        seconds = expected_seconds(self.inference, data.rows, free, self.n_restarts)
        with tracker(who, seconds=seconds) as progress:
            solution = learn_process(
                process, data, self.inference, n_restarts=self.n_restarts, rng=rng, progress=progress, who=who
            )
        learned = solution.value
        constant = self.standardize and np.ptp(y) == 0.0
        certificate = solution.certificate.noting(*([_CONSTANT] if constant else []), *_about_noise(noise))
        self.certificate_ = _about_inputs(certificate, kernel, X[0])
        self.scaling_, self.average_, self.draws_ = scaling, learned.average, learned.draws
        self._keep(learned.posterior, y, sites[rows])
        to_your_units = self.log_evidence_ - float(learned.posterior.evidence.total)
        self.optima_ = tuple(o._replace(objective=o.objective + to_your_units) for o in learned.optima)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, *, noise: Any = None) -> Self:
        """Add rows at the learned parameters and scaling, in O(n²) a row; the first call is a fit.

        After a fit with known noise, rows without `noise` have the median of the noise of the rows before them. Where
        parameters are averaged over, each draw of them counts by how likely the new rows were to it, in O(s n³) for s
        draws; as the draws become unequal, the budget's computation grows, and a new fit is better.
        """
        if not hasattr(self, "posterior_"):
            return self.fit(X, y, sample_weight, noise=noise)
        with unchanged(self, only_on_failure=True):
            X, y, w = self._checked(X, y, sample_weight, reset=False)
            typical = np.full(len(y), self.typical_noise_)
            known = typical if noise is None else checked_noise(type(self).__name__, noise, len(y))
            there = w > 0
            posterior, sites = self._extended(X[there], y[there], w[there], known[there])
            certificate = with_factor(self.certificate_, posterior, type(self).__name__)
            if self.average_ is not None:
                self.average_ = updated(self.average_, posterior.data.padded(bucket(posterior.data.rows)))
                certificate = reweighted(certificate, self.average_)
            self.certificate_ = certificate.noting(*_about_noise(known) if _MEDIAN not in certificate.notes else ())
            self._keep(posterior, np.concatenate([self.targets_, y[there]]), np.concatenate([self.sites_, sites]))
        return self

    def _extended(
        self, X: np.ndarray, y: np.ndarray, w: np.ndarray, known: np.ndarray
    ) -> tuple[GPPosterior, np.ndarray]:
        """The posterior with these rows, and the point that each was measured at."""
        who, posterior, scaling = type(self).__name__, self.posterior_, self.scaling_
        posterior.process.kernel.require_points(placed(X), who)
        sites = np.full(len(y), -1)
        if isinstance(posterior.process.noise, NoNoise):
            # Without noise a point that was measured before has nothing new to say, and a second row is singular.
            noise = known + _input_noise(posterior.process, scaling.inputs(X))
            sites = measured_before(posterior.data, scaling.inputs(X), scaling.targets(y), noise, who=who)
            weights = np.array(posterior.data.weights)
            np.add.at(weights, sites[sites >= 0], w[sites >= 0])
            posterior = eqx.tree_at(lambda p: p.data.weights, posterior, placed(weights))
        new = sites < 0
        if np.any(new):
            before = posterior.data.X.shape[0]
            data, at = self._observed(posterior.process, scaling, X[new], y[new], w[new], known[new])
            require_affordable(who, before + data.rows, cost_of(None, 0))
            posterior, sites[new] = posterior.extended(data), at + before
        return posterior, sites

    def evidence_surface(
        self, x: str | None = None, y: str | None = None, *, points: int = 32, reach: float = 3.0
    ) -> EvidenceSurface:
        """The log evidence over two parameters, the others as they were learnt; `credo.plot` draws it.

        `x` and `y` are names such as ``"kernel.lengthscale[0]"`` and ``"noise.level"``, or a part that one name alone
        has; by default the first length-scale and the noise. Parameters are in the units of `standardize`, the evidence
        is that of your targets. The grid has `points` values of each, `reach` to both sides in the coordinates of the
        search (logarithms of what is positive). With ``inference="map"`` priors pull the fit off the summit. points²
        evaluations of the evidence, O(n³) each.
        """
        check_is_fitted(self)
        who, posterior = type(self).__name__, self.posterior_
        require_affordable(who, posterior.data.rows, cost_of(None, 0)._replace(evaluations=float(points) ** 2))
        found = evidence_surface(posterior.process, posterior.data, x, y, points=points, reach=reach, who=who)
        ends = [parameter_values(optimum.process) for optimum in self.optima_]
        return found._replace(
            log_evidence=found.log_evidence + (self.log_evidence_ - float(posterior.evidence.total)),
            optima=tuple((values[found.names[0]], values[found.names[1]]) for values in ends),
        )

    def _observed(
        self,
        process: Process,
        scaling: Standardization,
        X: np.ndarray,
        y: np.ndarray,
        w: np.ndarray,
        known: np.ndarray,
    ) -> tuple[Observations, np.ndarray]:
        return observations(
            scaling.inputs(X),
            scaling.targets(y),
            w,
            scaling.variances(known),
            noiseless=isinstance(process.noise, NoNoise) & (_input_noise(process, scaling.inputs(X)) == 0.0),
            who=type(self).__name__,
        )


def _about_noise(known: np.ndarray) -> tuple[str, ...]:
    return (_MEDIAN,) if np.any(known > 0.0) else ()


def _about_inputs(certificate: Certificate, kernel: Kernel, row: np.ndarray) -> Certificate:
    """Moments over uncertain inputs are exact or by quadrature; the distributions are not normal, as they are taken."""
    if not kernel.has_uncertain_inputs:
        return certificate
    nodes = quadrature_nodes(kernel, placed(row))
    notes = [_INPUTS, *([f"these moments are by quadrature with {nodes} nodes per uncertain column"] if nodes else [])]
    return dataclasses.replace(certificate, kind="heuristic").noting(*notes)


def _input_noise(process: Process, Z: np.ndarray) -> np.ndarray:
    """The variance at each row that comes from its uncertain input, before the data."""
    if not process.kernel.has_uncertain_inputs:
        return np.zeros(len(Z))
    return np.asarray(process.kernel.input_noise(placed(filled(Z))))[: len(Z)]
