"""Linear regression with a conjugate prior."""

from numbers import Real
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from credo.beliefs import Normal, StudentT
from credo.errors import InputError
from credo.infer import CoefficientDraws, LinearPosterior, LinearPrior, draw_coefficients, linear_posteriors
from credo.infer.conjugate_linear import posterior_of_moments
from credo.infer.linear_prior import covariance_root, prior_center
from credo.models.base import Regressor, Replicated
from credo.numerics import Moments, certify, moments
from credo.numerics.padding import pad
from credo.represent.validation import checked_features, require_squares, unchanged

__all__ = ["BayesianLinearRegression"]


@jax.jit
def _first(replicates: Any) -> Any:
    """The first of a batch of replicates."""
    return jax.tree.map(lambda leaf: leaf[0], replicates)


@jax.jit
def _together(seen: Moments, rows: jax.Array, weights: jax.Array) -> Moments:
    return seen + moments(rows, weights)


class BayesianLinearRegression(Regressor, Replicated):
    r"""Linear regression with a Normal–Inverse-Gamma prior: exact posterior, exact predictive, exact evidence.

    $y = \alpha + x^\top\beta + \varepsilon$, $\varepsilon \sim \mathcal N(0, \sigma^2)$, with a flat prior on
    $\alpha$, $\beta_j \mid \sigma^2 \sim \mathcal N(0, \sigma^2 s^2/v_j)$ ($v_j$ the variance of column j, so units
    do not matter) and $\sigma^2 \sim \text{InverseGamma}(a_0, b_0)$. A new observation is Student t with $2a_0 + \sum
    w - 1$ degrees of freedom (O'Hagan & Forster 2004, §11.8; Bishop 2006, §3.3). With a `noise_variance` that is
    $\sigma^2$, and all that is Student t is normal. With a `prior_mean` m or a `prior_covariance` V the prior is $\beta
    \mid \sigma^2 \sim \mathcal N(m, \sigma^2 s^2 V)$, or $\mathcal N(m, s^2 V)$ where $\sigma^2$ is known.

    The interval covers noise and what is unknown about $\alpha$, $\beta$ and $\sigma^2$; it assumes a linear mean and
    constant Gaussian noise. With ``prior_scale="evidence"`` the scale s is chosen by maximal evidence and its own
    uncertainty is not in the interval. A fit costs O(n d² + d³); `partial_fit` gives exactly the posterior of all
    rows together.

    Parameters
    ----------
    prior_scale : float, "evidence" or None
        s: how large coefficients are expected to be, in units of the noise, for a column of standard deviation one; or
        a factor on the root of `prior_covariance`. None is one where that is given, and "evidence" where not.
    prior_mean : array of d, optional
        m, in units of y a unit of each column. Zero if left out.
    prior_covariance : array of d or d × d, optional
        V, variances or a whole matrix, in the units of the columns: of the coefficients themselves where the noise is
        known, and over $\sigma^2$ where it is learned. Left out, each column's own variance sets its unit.
    noise_variance : float, optional
        $\sigma^2$ if it is known. Left out, it is learned.
    noise_shape, noise_scale : float
        $a_0$ and $b_0$; zero and zero is Jeffreys' prior $1/\sigma^2$, and the evidence is then relative to the
        measure $d\sigma^2/\sigma^2$.
    fit_intercept : bool
        Whether there is an $\alpha$.

    Attributes
    ----------
    posterior\_ : LinearPosterior
        The belief about intercept, coefficients and noise.
    coef\_, intercept\_, prior_scale\_, log_evidence\_
        Posterior means, the prior scale in force, and $\log p(y \mid X)$.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(12.0)[:, None]
    >>> y = 3.0 + 2.0 * X[:, 0] + np.tile([0.5, -0.5], 6)
    >>> low, high = BayesianLinearRegression().fit(X, y).predict_interval([[20.0]], level=0.9)
    >>> bool(low[0] < 43.0 < high[0])
    True
    """

    _parameter_constraints = {  # noqa: RUF012
        "prior_scale": [StrOptions({"evidence"}), Interval(Real, 0, None, closed="neither"), None],
        "prior_mean": ["array-like", None],
        "prior_covariance": ["array-like", None],
        "noise_variance": [Interval(Real, 0, None, closed="neither"), None],
        "noise_shape": [Interval(Real, 0, None, closed="left")],
        "noise_scale": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
    }

    posterior_: LinearPosterior
    coef_: np.ndarray
    intercept_: float
    prior_scale_: float
    log_evidence_: float
    moments_: Moments

    def __init__(
        self,
        *,
        prior_scale: float | str | None = None,
        prior_mean: Any = None,
        prior_covariance: Any = None,
        noise_variance: float | None = None,
        noise_shape: float = 0.0,
        noise_scale: float = 0.0,
        fit_intercept: bool = True,
    ) -> None:
        self.prior_scale = prior_scale
        self.prior_mean = prior_mean
        self.prior_covariance = prior_covariance
        self.noise_variance = noise_variance
        self.noise_shape = noise_shape
        self.noise_scale = noise_scale
        self.fit_intercept = fit_intercept

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        self._keep(*_first(self._replicates(X, y, w[None])))

    def _learn_many(self, X: np.ndarray, y: np.ndarray, W: np.ndarray) -> LinearPosterior:
        return self._replicates(X, y, W)[1]

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from further rows: afterwards this is, up to round-off, the fit of all rows seen so far."""
        if not hasattr(self, "moments_"):
            return self.fit(X, y, sample_weight)
        with unchanged(self, only_on_failure=True):
            X, y, w = self._checked(X, y, sample_weight, reset=False)
            require_squares(self, X)
            rows, weights = pad(np.column_stack([X, y]), weights=w)
            statistics = _together(self.moments_, jnp.asarray(rows), jnp.asarray(weights))
            self._keep(statistics, posterior_of_moments(statistics, self._prior(X.shape[1])))
        return self

    def _replicates(self, X: np.ndarray, y: np.ndarray, W: np.ndarray) -> tuple[Moments, LinearPosterior]:
        require_squares(self, X)
        self._check_enough(float(np.min(np.sum(W, axis=1))))
        rows, weights, _ = pad(np.column_stack([X, y]), W.T)
        return linear_posteriors(jnp.asarray(rows), jnp.asarray(weights.T), self._prior(X.shape[1]))

    def _check_enough(self, weight: float) -> None:
        if self.noise_variance is not None or 2.0 * self.noise_shape + weight - self.fit_intercept > 0.0:
            return
        raise InputError(
            type(self).__name__,
            f"the weights sum to {weight:g} (1 sample or less), which leaves nothing to learn the noise from",
            "There is one row only, and the prior says nothing about the noise",
            "Pass more rows, or noise_shape and noise_scale above zero",
        )

    def _prior(self, columns: int) -> LinearPrior:
        self._require_one_noise()
        who, known = type(self).__name__, self.noise_variance
        root = None if self.prior_covariance is None else covariance_root(self.prior_covariance, columns, who=who)
        if root is not None and known is not None:
            root = root / np.sqrt(known)  # the engine's prior is in units of the noise
        return LinearPrior(
            jnp.asarray(self.noise_shape),
            jnp.asarray(self.noise_scale),
            jnp.asarray(1.0 if self.prior_scale is None or self._chooses else self.prior_scale),
            fit_intercept=bool(self.fit_intercept),
            choose_scale=self._chooses,
            mean=None if self.prior_mean is None else jnp.asarray(prior_center(self.prior_mean, columns, who=who)),
            root=None if root is None else jnp.asarray(root),
            noise_variance=None if known is None else jnp.asarray(float(known)),
        )

    @property
    def _chooses(self) -> bool:
        """Whether the prior scale is chosen by maximal evidence."""
        return self.prior_scale == "evidence" or (self.prior_scale is None and self.prior_covariance is None)

    def _require_one_noise(self) -> None:
        if (self.noise_shape > 0) != (self.noise_scale > 0):
            raise InputError(
                type(self).__name__,
                f"noise_shape={self.noise_shape} and noise_scale={self.noise_scale}: one is zero, the other is not",
                "The noise prior is proper (both positive) or Jeffreys' (both zero)",
                "Set both or neither",
            )
        if self.noise_variance is not None and self.noise_shape > 0:
            raise InputError(
                type(self).__name__,
                f"noise_variance={self.noise_variance} and a prior on it, noise_shape={self.noise_shape}",
                "What is known has no prior",
                "Leave noise_variance out, or noise_shape and noise_scale",
            )

    def _keep(self, statistics: Moments, posterior: LinearPosterior) -> None:
        notes = ("the prior scale maximizes the evidence; its uncertainty is not in the interval",)
        self.certificate_ = certify(posterior.info, "exact", type(self).__name__, notes=notes if self._chooses else ())
        self.moments_, self.posterior_ = statistics, posterior
        self.coef_ = np.asarray(posterior.coefficients)
        self.intercept_ = float(posterior.intercept)
        self.prior_scale_ = float(posterior.prior_scale)
        self.log_evidence_ = float(posterior.log_evidence)

    def _belief(self, X: np.ndarray) -> StudentT | Normal:
        return self.posterior_.predict_dist(X)

    def sample_coefficients(self, n_samples: int = 1, random_state: Any = None) -> CoefficientDraws:
        """Draws of (intercept, coefficients, noise variance) from their joint posterior, one a row."""
        check_is_fitted(self)
        return draw_coefficients(self.posterior_, n_samples, random_state)

    def sample_paths(self, n: int = 1, random_state: Any = None) -> CoefficientDraws:
        """n regression functions drawn from the posterior, to be evaluated anywhere: ``paths(X)`` is n × m."""
        return self.sample_coefficients(n, random_state)

    def posterior(self, X: Any) -> StudentT | Normal:
        """The belief about the regression function at each row of X, noise left out."""
        X = checked_features(self, X)
        return self.posterior_.posterior(pad(X)[0])[: len(X)]
