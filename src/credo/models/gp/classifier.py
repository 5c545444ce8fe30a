"""Gaussian-process classification."""

from numbers import Integral
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from credo.beliefs import Belief, Categorical, UncertaintyBudget
from credo.infer.gaussian.classes import Approximation, ClassPosterior, Labels, learn_classes
from credo.kernels import Kernel, Matern52
from credo.kernels.columns import require_exact_inputs
from credo.models.base import Classifier
from credo.models.gp.scaling import Standardization
from credo.models.gp.size import Cost, cost_of, require_affordable
from credo.numerics.concrete import placed
from credo.numerics.padding import merge_rows, pad
from credo.numerics.progress import tracker
from credo.numerics.random import as_seed

__all__ = ["GPClassifier"]

_VARIANCE = 4.0  # of the latent function at the start: probabilities from 2 % to 98 % are then common
_STEPS = 30  # factorizations in one evaluation of the evidence, about


class GPClassifier(Classifier):
    r"""Gaussian-process classification: class probabilities from a belief over latent functions.

    Two classes: $p(y = 1 \mid f) = \Phi(f)$ with expectation propagation, or $\sigma(f)$ with Laplace's method. More
    classes: a softmax over one function per class, with either (Rasmussen and Williams 2006, chapter 3). Probabilities
    are averages over the belief about f, so they shrink to even odds far from the data. The belief covers what is
    unknown about f given the kernel's parameters. These maximize the evidence of the approximation, and for more than
    two classes always that of Laplace's method. A fit costs some hundreds of n³ operations, times the number of classes
    if there are more than two.

    Parameters
    ----------
    kernel : Kernel or None
        None is Matérn-5/2 with a length-scale per column, in the units of `standardize`.
    approximation : "auto", "laplace" or "ep"
        How the belief about f is made Gaussian. Expectation propagation ("ep") is the more accurate. Laplace's method
        is faster and less accurate where the kernel's variance is large; `computation` of the budget then contains its
        error, measured by one update of expectation propagation. "auto", the default, is "ep" up to 3000 distinct rows
        times classes and "laplace" above; the certificate names the one used.
    inference : "map", "ml" or None
        The mode under the kernel's priors, the maximum of the evidence, or the given values as they are.
    n_restarts : int
        Random starts beside the given one. The evidence of labels is smooth, and one start is nearly always enough.
    standardize : bool
        Give every column that is a number mean zero and standard deviation one. Columns that the kernel reads as codes
        (categories, letters, nodes) stay as they are.
    random_state : int, generator or None

    Attributes
    ----------
    classes\_, kernel\_, log_evidence\_, certificate\_
        The labels in order, the learned kernel, the approximate log evidence, and how all that was obtained.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> gp = GPClassifier(random_state=0).fit(X, ["no", "no", "yes", "yes"])
    >>> gp.predict([[-1.5], [1.5]]).tolist()
    ['no', 'yes']
    """

    _parameter_constraints = {  # noqa: RUF012
        "kernel": [Kernel, None],
        "approximation": [StrOptions({"auto", "laplace", "ep"})],
        "inference": [StrOptions({"map", "ml"}), None],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "standardize": ["boolean"],
        "random_state": ["random_state"],
    }

    kernel_: Kernel
    log_evidence_: float
    posterior_: ClassPosterior
    scaling_: Standardization

    def __init__(
        self,
        *,
        kernel: Kernel | None = None,
        approximation: Approximation = "auto",
        inference: Literal["map", "ml"] | None = "map",
        n_restarts: int = 0,
        standardize: bool = True,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.approximation = approximation
        self.inference = inference
        self.n_restarts = n_restarts
        self.standardize = standardize
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        who, d = type(self).__name__, X.shape[1]
        kernel = self._start(d)
        kernel.require_points(placed(X), who)
        require_exact_inputs(kernel, who)
        (X, codes), w, _ = merge_rows(X, y, weights=w)
        roles = kernel.column_roles(d, who)
        scaling = Standardization.of(X, codes, w, roles) if self.standardize else Standardization.identity(d)
        require_affordable(who, len(w), self._cost())
        rows = Labels(*(placed(part) for part in pad(scaling.inputs(X), codes.astype(np.float64), weights=w)))
        with tracker(who) as progress:
            solution = learn_classes(
                kernel,
                rows,
                len(self.classes_),
                approximation=self.approximation,
                inference=self.inference,
                n_restarts=self.n_restarts,
                rng=np.random.default_rng(as_seed(self.random_state)),
                progress=progress,
                who=who,
            )
        self.posterior_, self.certificate_, self.scaling_ = solution.value, solution.certificate, scaling
        self.kernel_ = self.posterior_.kernel
        self.log_evidence_ = float(self.posterior_.log_evidence)

    def _cost(self) -> Cost:
        once, classes = cost_of(None, 0), len(self.classes_)
        evaluations = _STEPS * classes * (1 if self.inference is None else 15)
        return Cost(evaluations, once.matrices * classes)

    def _start(self, d: int) -> Kernel:
        if self.kernel is None:
            return Matern52(variance=jnp.asarray(_VARIANCE), lengthscale=jnp.full(d, d**0.5))
        return self.kernel

    def _belief(self, X: np.ndarray) -> Belief:
        self.kernel_.require_points(placed(X), type(self).__name__)
        of_class = self.posterior_.probabilities(self.scaling_.inputs(X))
        total = of_class.mean * (1.0 - of_class.mean)
        computation = jnp.minimum(of_class.error**2, total)  # first: what was measured is not cut to fit the rest
        parameter = jnp.clip(of_class.variance - computation, 0.0, total - computation)
        noise = total - computation - parameter
        budget = UncertaintyBudget(noise=noise, parameter=parameter, computation=computation)
        return Categorical(of_class.mean / jnp.sum(of_class.mean, axis=1, keepdims=True), budget=budget)
