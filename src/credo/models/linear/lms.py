"""Least mean squares, by one row at a time."""

from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions

from credo.infer.lms import LMSState, StepSchedule, least_mean_squares
from credo.models.base import InOrder
from credo.represent.validation import checked_features, unchanged

__all__ = ["LMS"]


class LMS(RegressorMixin, InOrder):
    r"""Linear regression by one row at a time: least mean squares, the Widrow–Hoff rule.

    $\theta \leftarrow \theta + \eta_t\,(y - \theta^\top\tilde x)\,\tilde x$ with $\tilde x = (x, 1)$ and $\eta_t =
    \eta_0\,(1 + t/t_0)^{-\kappa}$ (Widrow & Hoff 1960). For ½ < κ ≤ 1 the steps sum to infinity and their squares do
    not, and θ converges to least squares (Robbins & Monro 1951); other κ are refused but for a constant step, by name,
    which follows a relation that changes and does not converge. For small steps $E\lVert\theta -
    \theta^*\rVert^2 \approx \eta_t\sigma^2 p/2$ with p coefficients and noise σ²; the mean of all θ has the variance
    of least squares in the limit, whatever κ < 1 (Polyak & Juditsky 1992).

    Rows are taken in the given order, and `partial_fit` in pieces equals `fit` on all rows to the last bit. There is
    no honest distribution on the way, so there is no interval: for one, fit [](#credo.models.LinearRegression). Rows
    have no weights, since order matters. The result depends on the units of the columns and on their origin, because
    the slowest direction sets the pace: standardize them.
    A pass costs O(n d), of sparse rows too, which become dense a few at a time; nothing of the rows is kept.

    Parameters
    ----------
    step : float or None
        η₀; stable below $2/E\lVert\tilde x\rVert^2$, and a fit that diverges is refused. None: one over the largest
        $\lVert\tilde x\rVert^2$ so far.
    delay : float
        t₀: for about so many steps they stay as they are.
    decay : float or "constant"
        κ, above ½ and up to 1.
    passes : int
        Of `fit` through the rows; steps go on getting smaller.
    averaged : bool
        Whether coefficients are the mean of all θ so far.
    fit_intercept : bool

    Attributes
    ----------
    coef\_, intercept\_ : array, float
    steps\_ : int
        How many rows were learned from, counted again each pass.
    state\_ : LMSState
        All that further rows need.
    certificate\_ : Certificate
        Its residual is the gradient of the mean squared error on the rows of the last call, relative to that at zero.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(5000, 2))
    >>> y = 1.0 + X @ [2.0, -3.0]
    >>> model = LMS().partial_fit(X[:2000], y[:2000]).partial_fit(X[2000:], y[2000:])
    >>> model.coef_.round(3).tolist(), round(model.intercept_, 3), model.steps_
    ([2.0, -3.0], 1.0, 5000)
    """

    _parameter_constraints = {  # noqa: RUF012
        "step": [Interval(Real, 0, None, closed="neither"), None],
        "delay": [Interval(Real, 0, None, closed="neither")],
        "decay": [Interval(Real, 0.5, 1.0, closed="right"), StrOptions({"constant"})],
        "passes": [Interval(Integral, 1, None, closed="left")],
        "averaged": ["boolean"],
        "fit_intercept": ["boolean"],
    }

    state_: LMSState

    def __init__(
        self,
        *,
        step: float | None = None,
        delay: float = 100.0,
        decay: float | Literal["constant"] = 0.75,
        passes: int = 1,
        averaged: bool = False,
        fit_intercept: bool = True,
    ) -> None:
        self.step = step
        self.delay = delay
        self.decay = decay
        self.passes = passes
        self.averaged = averaged
        self.fit_intercept = fit_intercept

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Go on with further rows, once through them. A failed call leaves the object as it was."""
        with unchanged(self, only_on_failure=True):
            first = not hasattr(self, "state_")
            X, y, _ = self._checked(X, y, None, reset=first)
            self._go_on(self._start(X) if first else self.state_, X, y, 1)
        return self

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray) -> None:
        self._go_on(self._start(X), X, y, int(self.passes))

    def _start(self, X: Any) -> LMSState:
        return LMSState.zero(X.shape[1] + bool(self.fit_intercept))

    def _go_on(self, state: LMSState, X: Any, y: np.ndarray, passes: int) -> None:
        decay = 0.0 if isinstance(self.decay, str) else float(self.decay)
        solution = least_mean_squares(
            state,
            X,
            y,
            StepSchedule(None if self.step is None else float(self.step), float(self.delay), decay),
            intercept=bool(self.fit_intercept),
            averaged=bool(self.averaged),
            passes=passes,
            who=type(self).__name__,
        )
        self.state_, self.certificate_ = solution.value, solution.certificate

    @property
    def _theta(self) -> np.ndarray:
        return np.asarray(self.state_.average if self.averaged else self.state_.theta)

    @property
    def coef_(self) -> np.ndarray:
        """The slopes."""
        return self._theta[:-1] if self.fit_intercept else self._theta

    @property
    def intercept_(self) -> float:
        """The level."""
        return float(self._theta[-1]) if self.fit_intercept else 0.0

    @property
    def steps_(self) -> int:
        """How many rows were learned from."""
        return int(self.state_.steps)

    def predict(self, X: Any) -> np.ndarray:
        """The fitted value at each row of X."""
        return checked_features(self, X) @ self.coef_ + self.intercept_
