"""Support vector classification."""

from numbers import Integral, Real
from typing import Any, Literal

import jax.numpy as jnp
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if

from credo.beliefs import Categorical, UncertaintyBudget
from credo.infer.calibration import calibrated_probabilities, calibration_slopes
from credo.infer.dual import KernelMachine, Limits, class_problem, kernel_machine, solve_hard_margin, solve_margin
from credo.infer.resample import class_folds
from credo.infer.typical import kernel_for
from credo.kernels import Kernel
from credo.models.margin.binary import BinaryDeciding
from credo.numerics.certificate import Certificate
from credo.numerics.padding import merge_rows
from credo.represent.validation import AS_DENSE, checked_features

__all__ = ["SVC"]

_PLUG_IN = "calibrated scores: what is unknown about the machine and the calibration is not in it"


def _is_calibrated(model: "SVC") -> bool:
    return bool(model.calibrated)


class SVC(BinaryDeciding):
    r"""The border with the widest margin between classes: $\min \tfrac12\lVert f\rVert_k^2 + C\sum_i w_i\max(0, 1 -
    y_i f(x_i))$, f with an intercept.

    Rows outside the margin have no coefficient; the others support the machine. libsvm finds them, Newton steps their
    coefficients, until the primal and the dual objective are within `gap` of each other, relatively (Schölkopf & Smola
    2002, §7.5). ``C=inf`` is the hard margin, refused where the kernel cannot separate the classes.

    The result depends on the units of the columns, as the kernel does: standardize them if these mean nothing.

    Scores are no probabilities, so that there is no `predict_dist`, unless `calibrated`: then machines without a fold
    score the rows of that fold, and slopes that map scores to probabilities are fitted to those (see
    [](#credo.infer.calibration_slopes)). The class of the largest probability is the one that `predict` says. What is
    unknown about the machine is not in it. Costs some O(s²) for s rows that support or nearly do; no matrix of
    more than `memory` bytes is made.

    Parameters
    ----------
    C : float
        Cost of a unit inside the margin; inf for none inside.
    kernel : Kernel or None
        By default an RBF whose length-scale is the median distance between rows.
    many : "ovo" or "ovr"
        With more than two classes: each pair, which vote, or each against the rest.
    calibrated : bool
        Whether there are probabilities.
    folds : int
        For these.
    gap : float
        (P − D)/P at the most.
    memory : int
        Bytes for covariances. Above it the RBF, Linear and Polynomial kernels are computed row by row, others refused.
    random_state : int, generator or None
        For the folds.

    Attributes
    ----------
    classes\_ : array
    kernel\_ : Kernel
    machines\_ : tuple of KernelMachine
        Support vectors, coefficients, margin, gap and violation of each.
    coef\_, intercept\_ : arrays
        With a linear kernel, the plane; one row a machine where there are several.
    margin\_ : float or array
        1/‖f‖.
    slopes\_ : array
        Of the calibration.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from credo.kernels import Linear
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0], [4.0, 1.0]])
    >>> model = SVC(C=np.inf, kernel=Linear()).fit(X, ["left", "left", "right", "right"])
    >>> model.coef_.round(6).tolist(), round(model.margin_, 6), len(model.machines_[0].vectors)
    ([1.0, 0.0], 1.0, 2)
    """

    _takes_sparse = AS_DENSE
    _parameter_constraints = {  # noqa: RUF012
        "C": [Interval(Real, 0, None, closed="right")],
        "kernel": [Kernel, None],
        "many": [StrOptions({"ovr", "ovo"})],
        "calibrated": ["boolean"],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "gap": [Interval(Real, 0, 1, closed="neither")],
        "memory": [Interval(Integral, 2**20, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    machines_: tuple[KernelMachine, ...]
    kernel_: Kernel
    slopes_: np.ndarray

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Kernel | None = None,
        many: Literal["ovo", "ovr"] = "ovo",
        calibrated: bool = False,
        folds: int = 5,
        gap: float = 1e-6,
        memory: int = 2**30,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.many = many
        self.calibrated = calibrated
        self.folds = folds
        self.gap = gap
        self.memory = memory
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        (X, y), w, _ = merge_rows(X, y, weights=w)
        self.kernel_ = kernel_for(X, self.kernel, type(self).__name__)
        super()._learn(X, y, w)
        if self.calibrated:
            self.slopes_ = calibration_slopes(self._held_out(X, y, w), y, w)

    def _learn_two(self, X: np.ndarray, sign: np.ndarray, w: np.ndarray) -> tuple[KernelMachine, Certificate]:
        limits = Limits(float(self.gap), int(self.memory), type(self).__name__)
        if np.isinf(self.C):
            found = solve_hard_margin(self.kernel_, X, sign, limits)
        else:
            found = solve_margin(self.kernel_, X, class_problem(sign, self.C * w), limits)
        return kernel_machine(self.kernel_, X, found), found.certificate

    def _held_out(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        """The scores of each row by machines that have not seen it."""
        classes = len(self.classes_)
        scores = np.empty(len(y) if classes == 2 else (len(y), classes))
        for held in class_folds(y, int(self.folds), self.random_state, who=type(self).__name__):
            seen = ~held
            learned = self._learn_sides(self._sides(y[seen]), X[seen], w[seen])
            scores[held] = self._joined([machine for machine, _ in learned], X[held])
        return scores

    @available_if(_is_calibrated)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, n × k, in the order of ``classes_``; with `calibrated` only."""
        return calibrated_probabilities(self._scores(checked_features(self, X)), self.slopes_)

    @available_if(_is_calibrated)
    def predict_dist(self, X: Any) -> Categorical:
        """The belief about the class at each row of X; with `calibrated` only."""
        return Categorical(jnp.asarray(self.predict_proba(X)), budget=UncertaintyBudget.unsplit(_PLUG_IN))

    @property
    def margin_(self) -> Any:
        """The distance from the border at which the score is one, or that of each machine."""
        return self._of_machines("margin")
