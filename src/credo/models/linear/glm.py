"""Generalized linear models of a number: any family and link, and the doors that are used most."""

from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from credo.beliefs import Belief
from credo.errors import InputError
from credo.infer.glm import FAMILIES, LINKS, Family, Link, as_family, as_link
from credo.models.base import Regressor
from credo.models.linear.generalized import GeneralizedLinear
from credo.numerics.padding import filled
from credo.represent.validation import checked_features, unchanged

__all__ = ["GLM", "GammaRegression", "PoissonRegression"]

_PENALTY = Interval(Real, 0, None, closed="left")
_COMMON = {"ridge": [_PENALTY], "lasso": [_PENALTY], "fit_intercept": ["boolean"]}


class _Regression(GeneralizedLinear, Regressor):
    """With an offset, an exposure and numbers of trials."""

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        offset: Any = None,
        exposure: Any = None,
        trials: Any = None,
    ) -> Self:
        """Learn from rows X, targets y and frequency weights.

        `offset` is a known part of the linear predictor of each row. `exposure`, with a log link, is what a mean is
        proportional to (a time, an area): its logarithm is an offset. `trials`, of a binomial, is of how many y is the
        fraction. A failed fit leaves the object as it was.
        """
        with unchanged(self, only_on_failure=True):
            X, y, w = self._checked(X, y, sample_weight, reset=True)
            known = self._known(len(y), offset, exposure)
            sizes = self._sizes(len(y), trials)
            there = w > 0
            self._fitted(X[there], y[there], w[there], known[there], sizes[there])
        return self

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray) -> None:
        self._fitted(X, y, w, np.zeros(len(y)), np.ones(len(y)))

    def predict_dist(self, X: Any, *, offset: Any = None, exposure: Any = None, trials: Any = None) -> Belief:
        """The belief about a new observation at each row of X (of a binomial: about a number of successes).

        It covers what is unknown about the coefficients, as a normal, and the family's own variation; not what is
        unknown about the dispersion. With a lasso it covers the family's own variation alone.
        """
        X = checked_features(self, X)
        rows = X.shape[0]
        known, sizes = self._known(rows, offset, exposure), self._sizes(rows, trials)
        return self._mixed(filled(X), filled(known), filled(sizes))[:rows]

    def _belief(self, X: Any) -> Belief:
        return self._mixed(X)

    def predict(self, X: Any, *, offset: Any = None, exposure: Any = None) -> np.ndarray:
        """The mean at each row of X, averaged over what is unknown about the coefficients where that is known."""
        X = checked_features(self, X)
        known = self._known(X.shape[0], offset, exposure)
        return self._averaged_mean(*self._predictor(X, known))

    def _known(self, rows: int, offset: Any, exposure: Any) -> np.ndarray:
        known = self._column("offset", offset, rows, 0.0)
        if exposure is None:
            return known
        times = self._column("exposure", exposure, rows, 1.0)
        if self._link() != LINKS["log"] or np.any(times <= 0.0):
            raise InputError(
                type(self).__name__,
                f"exposure of at least {np.min(times):g} with link {type(self._link()).__name__}",
                "A mean is proportional to a positive exposure where the link is the logarithm",
                "Try link='log', or offset",
            )
        return known + np.log(times)

    def _sizes(self, rows: int, trials: Any) -> np.ndarray:
        sizes = self._column("trials", trials, rows, 1.0)
        if trials is not None and (self._family() != FAMILIES["binomial"] or np.any(sizes < 1.0)):
            raise InputError(
                type(self).__name__,
                f"trials of at least {np.min(sizes):g} for {type(self._family()).__name__}",
                "They are the positive numbers of a binomial",
                "Try family='binomial'",
            )
        return sizes

    def _column(self, name: str, given: Any, rows: int, default: float) -> np.ndarray:
        try:
            column = np.asarray(default if given is None else given, dtype=np.float64)
            column = np.broadcast_to(column, (rows,))
        except (TypeError, ValueError) as error:
            what = f"{name} has shape {np.shape(given)} for {rows} rows"
            raise InputError(
                type(self).__name__, what, "It is one number a row", f"Pass {name} of length {rows}"
            ) from error
        if not np.all(np.isfinite(column)):
            raise InputError(
                type(self).__name__, f"{name} has NaN or infinite entries", "Values are missing", "Drop them"
            )
        return column


class GLM(_Regression):
    r"""A generalized linear model: $g(\mathbb E\,y) = \alpha + x^\top\beta$, $\operatorname{Var} y = \phi V(\mu)$.

    Maximum likelihood by Newton's method (Fisher scoring with a line search), with standard errors, tests and
    intervals from the information at the maximum; `summary` also has robust and clustered ones. The belief about a new
    observation averages the family over the normal approximation of the predictor, $\eta \sim \mathcal N(x^\top
    \hat\beta, \phi\,x^\top (X^\top C X)^{-1} x)$. An estimated dispersion is averaged over, too, with
    $\nu\hat\phi/\phi$ a χ² of the residual degrees of freedom ν, up to ν = 200. The interval covers the family's
    variation and what is unknown about coefficients and dispersion; it assumes family and link. A fit costs O(n d²) an
    iteration (McCullagh & Nelder 1989, §2.5).

    Where classes are separated, or zeros explained by a column, the likelihood has no maximum: the fit warns, says so
    in its certificate, and `summary` refuses.

    With a `lasso` many slopes are zero, and there may be more columns than rows: proximal Newton steps (Lee, Sun &
    Saunders 2014), each solved by an active set, O(n d) and O(n a²) for the a slopes that are not zero; the certificate
    has the duality gap where it is known, else the largest violation of the conditions of optimality. What is unknown
    about such coefficients is not known: the belief takes them as they are and covers the family's variation alone, its
    budget is not split, and `summary` refuses. The degrees of freedom of the dispersion count the slopes that are left.

    Parameters
    ----------
    family : str or Family
        "gaussian", "bernoulli", "binomial" (of a fraction, with `trials`), "poisson", "gamma", "inverse gaussian",
        "negative binomial" (variance $\mu + a\mu^2$ with excess a = 1; ``NegativeBinomialFamily(a)`` for another). A
        target of "poisson" or "negative binomial" that is not a whole number gives a warning and a note. For
        a multinomial, which has a mean for each class, see [](#credo.models.SoftmaxRegression).
    link : str, Link or None
        "identity", "log", "logit", "probit", "cloglog", "inverse", "inverse squared"; None is the family's own:
        identity, logit or logarithm.
    ridge : float
        $\lambda$ in $-\log L + \tfrac12\lambda\lVert\beta\rVert^2$, in units where the dispersion is one: a prior
        $\beta \sim \mathcal N(0, \phi/\lambda)$. The intercept has none.
    lasso : float
        $\lambda_1$ in $\lambda_1\lVert\beta\rVert_1$, added to that. Both penalties are on the coefficients of the
        columns as they come, so they depend on their units: standardize columns whose units mean nothing. Without a
        penalty the predictions depend neither on units nor, with an intercept, on origins.
    fit_intercept : bool

    Attributes
    ----------
    coef\_, intercept\_
        The maximum of the (penalized) likelihood.
    dispersion\_ : float
        One, or Pearson's $\chi^2$ over the degrees of freedom where it is not known.
    log_likelihood\_, deviance\_, null_deviance\_, degrees\_, rank\_ : float
    separated\_ : "none", "partial", "complete" or "undecided"
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> hours = np.arange(1.0, 9.0)[:, None]
    >>> accidents = np.array([1, 0, 2, 2, 4, 3, 6, 9])
    >>> model = GLM(family="poisson").fit(hours, accidents)
    >>> print(f"{np.exp(model.coef_[0]):.2f} times as many an hour")
    1.44 times as many an hour
    """

    _parameter_constraints = {  # noqa: RUF012
        "family": [StrOptions({*FAMILIES, "multinomial"}), Family],
        "link": [StrOptions(set(LINKS)), Link, None],
        **_COMMON,
    }

    def __init__(
        self,
        *,
        family: str | Family = "gaussian",
        link: str | Link | None = None,
        ridge: float = 0.0,
        lasso: float = 0.0,
        fit_intercept: bool = True,
    ) -> None:
        self.family = family
        self.link = link
        self.ridge = ridge
        self.lasso = lasso
        self.fit_intercept = fit_intercept

    def _family(self) -> Family:
        return as_family(self.family)

    def _link(self) -> Link:
        return self._family().link if self.link is None else as_link(self.link)


class _LogLinear(_Regression):
    """Targets that are not negative, whose logarithmic mean is linear."""

    _parameter_constraints = _COMMON

    def __init__(self, *, ridge: float = 0.0, lasso: float = 0.0, fit_intercept: bool = True) -> None:
        self.ridge = ridge
        self.lasso = lasso
        self.fit_intercept = fit_intercept

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _link(self) -> Link:
        return LINKS["log"]


class PoissonRegression(_LogLinear):
    r"""Counts whose logarithmic mean is linear: [](#credo.models.GLM) with ``family="poisson"``.

    The interval covers Poisson variation and what is unknown about the coefficients. Counts that vary more than a
    Poisson's have a Pearson $\chi^2$ above the degrees of freedom; take robust standard errors or a negative binomial
    then. Targets that are not whole numbers give the estimates of a quasi-likelihood: `fit` warns, and the certificate
    notes it. `ridge` and `lasso` are on the coefficients of the columns as they come and depend on their units.

    >>> import numpy as np
    >>> X = np.arange(6.0)[:, None]
    >>> PoissonRegression().fit(X, [1, 1, 2, 4, 6, 12]).predict([[6.0]]).round(1).tolist()
    [21.7]
    """

    def _family(self) -> Family:
        return FAMILIES["poisson"]


class GammaRegression(_LogLinear):
    r"""Positive numbers of constant relative error whose logarithmic mean is linear: a GLM with ``family="gamma"``.

    The interval covers the Gamma's variation and what is unknown about coefficients and dispersion. `ridge` and `lasso`
    are on the coefficients of the columns as they come and depend on their units.

    >>> import numpy as np
    >>> X = np.arange(6.0)[:, None]
    >>> GammaRegression().fit(X, np.exp(0.5 * X[:, 0]) * [1.1, 0.9, 1.0, 1.1, 0.9, 1.0]).coef_.round(2).tolist()
    [0.49]
    """

    def _family(self) -> Family:
        return FAMILIES["gamma"]
