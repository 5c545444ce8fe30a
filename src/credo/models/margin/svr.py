"""Support vector regression."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval

from credo.infer.dual import KernelMachine, Limits, kernel_machine, number_problem, solve_margin
from credo.infer.typical import kernel_for
from credo.kernels import Kernel
from credo.models.base import Estimator
from credo.numerics.certificate import warned
from credo.numerics.padding import merge_rows
from credo.represent.validation import AS_DENSE, checked_features

__all__ = ["SVR"]


class SVR(RegressorMixin, Estimator):
    r"""A function of which deviations up to ε cost nothing: $\min \tfrac12\lVert f\rVert_k^2 + C\sum_i w_i\max(0,
    |y_i - f(x_i)| - \varepsilon)$, f with an intercept.

    Rows inside the tube have no coefficient. The solution is as in [](#credo.models.SVC), to a stated duality gap. It
    estimates a median, robustly, and says nothing about the noise, so that there is no `predict_dist`: an interval
    comes from [](#credo.models.KernelRidge) or [](#credo.models.GPRegressor) (Schölkopf & Smola 2002, §9.2).

    The result depends on the units of the columns, as the kernel does: standardize them if these mean nothing.

    Parameters
    ----------
    C : float
        Cost of a unit outside the tube.
    epsilon : float
        ε, in units of y.
    kernel : Kernel or None
        By default an RBF whose length-scale is the median distance between rows.
    gap : float
        (P − D)/P at the most.
    memory : int
        Bytes for covariances. Above it the RBF, Linear and Polynomial kernels are computed row by row, others refused.

    Attributes
    ----------
    kernel\_ : Kernel
    machine\_ : KernelMachine
        Support vectors, coefficients, gap and violation.
    coef\_, intercept\_
        With a linear kernel, slopes and the value at zero.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> from credo.kernels import Linear
    >>> X = np.arange(6.0)[:, None]
    >>> model = SVR(C=100.0, epsilon=0.5, kernel=Linear()).fit(X, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    >>> model.coef_.round(6).tolist(), len(model.machine_.vectors)  # the flattest line within the tube
    ([0.8], 2)
    """

    _takes_sparse = AS_DENSE
    _parameter_constraints = {  # noqa: RUF012
        "C": [Interval(Real, 0, None, closed="neither")],
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "kernel": [Kernel, None],
        "gap": [Interval(Real, 0, 1, closed="neither")],
        "memory": [Interval(Integral, 2**20, None, closed="left")],
    }

    machine_: KernelMachine
    kernel_: Kernel

    def __init__(
        self,
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: Kernel | None = None,
        gap: float = 1e-6,
        memory: int = 2**30,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gap = gap
        self.memory = memory

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        (X, y), w, _ = merge_rows(X, y, weights=w)
        self.kernel_ = kernel_for(X, self.kernel, type(self).__name__)
        problem = number_problem(y, self.C * w, float(self.epsilon))
        limits = Limits(float(self.gap), int(self.memory), type(self).__name__)
        found = solve_margin(self.kernel_, X, problem, limits)
        self.machine_ = kernel_machine(self.kernel_, X, found)
        self.certificate_ = warned(
            found.certificate, type(self).__name__, "Try scaled columns, a smaller C or a larger gap"
        )

    @property
    def coef_(self) -> np.ndarray:
        """The slopes, where the kernel is linear."""
        return self.machine_.coef

    @property
    def intercept_(self) -> float:
        """The value at zero where the kernel is linear, else b."""
        return self.machine_.intercept

    def predict(self, X: Any) -> np.ndarray:
        """The value at each row of X."""
        X = checked_features(self, X)
        return self.machine_.decision(X)
