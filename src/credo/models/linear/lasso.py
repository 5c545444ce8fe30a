"""Lasso, elastic net and bridge regression."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from credo.errors import UndefinedError
from credo.infer.proximal import (
    PenaltyPath,
    Quadratic,
    bridge_grid,
    bridge_path,
    debiased,
    elastic_net_path,
    penalty_grid,
)
from credo.infer.testing import Estimates, names_of
from credo.models.linear.penalized import Penalized
from credo.models.linear.summary import Summary
from credo.numerics.certificate import Solution

__all__ = ["Bridge", "ElasticNet", "Lasso"]

_CHOICES = StrOptions({"cv", "1se", "aic", "bic"})
_COMMON = {
    "alpha": [_CHOICES, Interval(Real, 0, None, closed="neither")],
    "fit_intercept": ["boolean"],
    "folds": [Interval(Integral, 2, None, closed="left")],
    "random_state": ["random_state"],
}


class Lasso(Penalized):
    r"""Least squares whose slopes pay for their absolute size, so that many are zero: $\frac{1}{2\sum w}\sum_i
    w_i(y_i - \alpha - x_i^\top\beta)^2 + \lambda\lVert\beta\rVert_1$ (Tibshirani 1996).

    Solved exactly along the whole path by active sets; the certificate has the duality gap. By default the penalty is
    chosen by cross-validation. The result depends on the units of the columns. A penalty that is chosen follows a
    change of all units together, and predictions stay the same; a change of one unit makes its column cheaper or
    dearer, so standardize the columns if their units mean nothing.

    The interval is Student t with the variance $s^2$ of the residuals, $\nu = \sum w - \text{degrees}$, times $1 + h$
    around the fitted value. h is $1/\sum w + (x - \bar x)^\top G^{-1}(x - \bar x)/\sum w$ over the slopes that are
    not zero, G their mean products: what is unknown about them, as for least squares on these columns. Which slopes
    are not zero, how far the penalty has drawn them, and that it was chosen are left out. A path costs O(n d²) for
    d ≤ n, about O(n d) a penalty for d > n.

    Parameters
    ----------
    alpha : "cv", "1se", "aic", "bic" or float
        λ, or how to choose it: least held-out error, the largest within a standard error of it, or a criterion with the
        number of slopes as degrees of freedom.
    fit_intercept : bool
    folds : int
        Of cross-validation.
    random_state
        How rows are dealt to the folds.

    Attributes
    ----------
    coef\_, intercept\_, alpha\_
    effective_degrees\_ : float
        Slopes that are not zero, and the intercept.
    noise_variance\_ : float
    path\_ : JudgedPath or None
        Where the penalty was chosen.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 200))
    >>> y = 3.0 * X[:, 0] - 2.0 * X[:, 1] + 0.5 * rng.normal(size=50)
    >>> model = Lasso(alpha=0.4).fit(X, y)
    >>> np.flatnonzero(model.coef_).tolist(), model.coef_[:2].round(1).tolist()
    ([0, 1], [2.6, -1.7])
    """

    _parameter_constraints = _COMMON

    def __init__(
        self, *, alpha: float | str = "cv", fit_intercept: bool = True, folds: int = 5, random_state: Any = 0
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.folds = folds
        self.random_state = random_state

    def _solve(self, quadratic: Quadratic, penalties: np.ndarray) -> Solution[PenaltyPath]:
        return elastic_net_path(quadratic, penalties)

    def _grid(self, quadratic: Quadratic, count: int, smallest: float) -> np.ndarray:
        return penalty_grid(quadratic, 1.0, count, smallest)

    def summary(self, *, debias: bool = False, level: float = 0.95) -> Summary:  # type: ignore[override]
        """Estimate, standard error, statistic, p-value and interval of each slope, freed of the penalty's bias.

        Only with ``debias=True``: what it shows are other numbers than ``coef_``. They are asymptotically normal where
        few slopes are not zero, $s \\log d \\ll \\sqrt n$ (van de Geer et al. 2014). One lasso a column.
        """
        if not debias:
            return super().summary()
        estimates = self.debiased()
        facts = {"rows": self._quadratic.weight, "alpha": self.alpha_, "slopes not zero": np.sum(self.coef_ != 0.0)}
        note = "intervals hold where few slopes are not zero; the intercept has none"
        return Summary(f"{type(self).__name__}: debiased", {"y0": estimates}, level, facts, (note,))

    def debiased(self) -> Estimates:
        """The slopes without the bias of the penalty, with their covariance."""
        if not hasattr(self, "_quadratic"):
            raise UndefinedError(
                type(self).__name__, "debiasing needs the rows", "A file does not hold them", "Fit again"
            )
        self._require_noise()
        values, covariance = debiased(self._quadratic, self.coef_, self.noise_variance_)
        names = names_of(getattr(self, "feature_names_in_", None), len(values), intercept=False)
        return Estimates(names, values, covariance)


class ElasticNet(Penalized):
    r"""Lasso and ridge together: the penalty is $\lambda(\rho\lVert\beta\rVert_1 +
    \frac{1-\rho}{2}\lVert\beta\rVert^2)$ on $\frac{1}{2\sum w}\sum_i w_i(y_i - \alpha - x_i^\top\beta)^2$, so that
    columns that say the same share their slope (Zou & Hastie 2005).

    Both parts of the penalty are in the units of the columns and of y, and no choice of λ makes up for a change of
    units, since one part is linear in the slopes and the other is not: the smaller the unit, the less the ridge counts
    against the lasso at the same shrinkage. Standardize the columns if their units mean nothing. The path reaches far
    enough down that neither part shrinks the slopes at its end, whatever the units.

    Interval, choice of λ and cost are as in [](#credo.models.Lasso), with $\operatorname{tr} G(G + \lambda(1 -
    \rho))^{-1}$ over the slopes that are not zero as degrees of freedom, and $G + \lambda(1 - \rho)$ for G in the
    interval. The result depends on the units of the columns as there.

    Parameters
    ----------
    alpha : "cv", "1se", "aic", "bic" or float
        λ, or how to choose it.
    l1_ratio : float
        ρ, above zero; one is the lasso.
    fit_intercept, folds, random_state
        As in Lasso.

    Attributes
    ----------
    coef\_, intercept\_, alpha\_, effective_degrees\_, noise_variance\_, path\_, certificate\_
        As in Lasso.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.linspace(-1.0, 1.0, 30)
    >>> model = ElasticNet(alpha=0.1).fit(np.column_stack([x, x]), 2.0 * x)
    >>> model.coef_.round(3).tolist()  # the lasso would leave the choice between the two to chance
    [0.869, 0.869]
    """

    _parameter_constraints = {  # noqa: RUF012
        **_COMMON,
        "l1_ratio": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        *,
        alpha: float | str = "cv",
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        folds: int = 5,
        random_state: Any = 0,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.folds = folds
        self.random_state = random_state

    def _solve(self, quadratic: Quadratic, penalties: np.ndarray) -> Solution[PenaltyPath]:
        return elastic_net_path(quadratic, penalties, l1_ratio=float(self.l1_ratio))

    def _bend(self, slopes: np.ndarray) -> np.ndarray:
        return np.full(len(slopes), self.alpha_ * (1.0 - float(self.l1_ratio)))

    def _grid(self, quadratic: Quadratic, count: int, smallest: float) -> np.ndarray:
        return penalty_grid(quadratic, float(self.l1_ratio), count, smallest)


class Bridge(Penalized):
    r"""Least squares with a power of the slopes as penalty: $\frac{1}{2\sum w}\sum_i w_i(y_i - \alpha -
    x_i^\top\beta)^2 + \lambda\sum_j|\beta_j|^q$ for any $q > 0$ (Frank & Friedman 1993).

    One is the lasso, two is ridge. Below one the penalty is not convex: large slopes are drawn to zero less than by the
    lasso and more of the small ones are zero, but what is found is a local minimum, and the certificate says so. Above
    one it has the duality gap. O(d³) a step: for up to a few thousand columns.

    The minimum is that of the objective above, in the units of the columns and of y: with all columns times k, the
    penalty $\lambda k^q$ gives the same predictions, and a penalty that is chosen is that one. A change of one unit
    alone changes what its column pays: standardize the columns if their units mean nothing.

    Interval and choice of λ are as in [](#credo.models.Lasso), for $q > 1$ with the second derivative of the penalty
    added to G. The result depends on the units of the columns as there.

    Parameters
    ----------
    q : float
    alpha : "cv", "1se", "aic", "bic" or float
        λ, or how to choose it.
    fit_intercept, folds, random_state
        As in Lasso.

    Attributes
    ----------
    coef\_, intercept\_, alpha\_, effective_degrees\_, noise_variance\_, path\_, certificate\_
        As in Lasso.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.vander(np.linspace(-1.0, 1.0, 20), 4, increasing=True)[:, 1:]
    >>> model = Bridge(q=0.5, alpha=0.05).fit(X, 2.0 * X[:, 0])
    >>> model.coef_.round(2).tolist()
    [1.95, 0.0, 0.0]
    >>> model.certificate_.kind
    'heuristic'
    """

    _parameter_constraints = {  # noqa: RUF012
        **_COMMON,
        "q": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        q: float = 0.5,
        alpha: float | str = "cv",
        fit_intercept: bool = True,
        folds: int = 5,
        random_state: Any = 0,
    ) -> None:
        self.q = q
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.folds = folds
        self.random_state = random_state

    def _solve(self, quadratic: Quadratic, penalties: np.ndarray) -> Solution[PenaltyPath]:
        return bridge_path(quadratic, penalties, float(self.q))

    def _bend(self, slopes: np.ndarray) -> np.ndarray:
        q = float(self.q)
        return self.alpha_ * max(q * (q - 1.0), 0.0) * np.abs(slopes) ** (q - 2.0)

    def _grid(self, quadratic: Quadratic, count: int, smallest: float) -> np.ndarray:
        return bridge_grid(quadratic, float(self.q), count, smallest)
