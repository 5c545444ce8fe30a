r"""Conjugate Bayesian linear regression from sufficient statistics.

$y = \alpha + x^\top\beta + \varepsilon$ with $\varepsilon \sim \mathcal N(0, \sigma^2)$, a flat prior on $\alpha$,
$\beta_j \mid \sigma^2 \sim \mathcal N(0, \sigma^2 s^2 / v_j)$ with $v_j$ the variance of column $j$ (so the prior
does not depend on units), and $\sigma^2 \sim \text{InverseGamma}(a_0, b_0)$; $a_0 = b_0 = 0$ is Jeffreys'
$1/\sigma^2$. Or $\sigma^2$ is known, and all that is Student t is normal. Everything is a function of the moments of
$(x, y)$, so learning row by row is learning from all rows.
References: Bishop (2006) §3.3 and §3.5; O'Hagan & Forster (2004) §11.
"""

from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import gammaln
from jaxtyping import ArrayLike, Float

from credo.beliefs import InverseGamma, Normal, StudentT, UncertaintyBudget
from credo.errors import InputError, UndefinedError
from credo.infer.linear_predictive import SMALLEST, TOO_FEW
from credo.infer.linear_prior import LinearPrior
from credo.numerics.batched_lapack import symmetric_eigen
from credo.numerics.certificate import Info
from credo.numerics.concrete import is_known, known_not_finite
from credo.numerics.moments import Moments, moments
from credo.numerics.scalar import LOG_2PI, safe_divide

__all__ = ["LinearPosterior", "linear_posterior", "linear_posteriors", "posterior_of_moments"]

# Prior scales that are looked at before the best one is refined: from "no signal" to "no shrinkage".
_LOG_SCALES = (-10.0, 16.0, 157)
_MOST = 460.0  # of the logarithm of a penalty
_ROUND_OFF = 64.0  # of a sum of squares, in units of the last place
_CENTERED_NUMBERS = 2**20  # held at once when rows are centered for several replicates: 8 MB


class LinearPosterior(eqx.Module):
    r"""Belief about intercept, coefficients and noise: $\beta \mid \sigma^2 \sim \mathcal N(m, \sigma^2 R R^\top)$.

    `level` is the belief's mean of y at `center`, with variance $\sigma^2$ `level_variance`; a leading batch axis
    holds replicates. Where the noise is known, `known_noise` is $\sigma^2$, and its shape and scale are infinite.
    """

    coefficients: Float[Array, "*batch d"]
    root: Float[Array, "*batch d r"]
    center: Float[Array, "*batch d"]
    level: Float[Array, "*batch"]
    level_variance: Float[Array, "*batch"]
    noise_shape: Float[Array, "*batch"]
    noise_scale: Float[Array, "*batch"]
    prior_scale: Float[Array, "*batch"]
    log_evidence: Float[Array, "*batch"]
    info: Info
    known_noise: Float[Array, "*batch"] | None = None

    @property
    def noise_variance(self) -> InverseGamma:
        """The belief about σ², where it is not known."""
        if self.known_noise is not None:
            raise UndefinedError(
                "LinearPosterior", "the noise variance is known", "It was given, not learned", "Read known_noise"
            )
        return InverseGamma(self.noise_shape, self.noise_scale)

    @property
    def intercept(self) -> Float[Array, "*batch"]:
        """The mean of α."""
        return self.level - jnp.sum(self.center * self.coefficients, axis=-1)

    def predict_dist(self, X: ArrayLike) -> StudentT | Normal:
        r"""The belief about new observations at the rows of X, of batch shape ``(*batch, n)``.

        Student t, or normal where the noise is known. Its budget: noise is $\mathbb E\sigma^2 = b/(a-1)$, parameter is
        that times the variance of the mean in units of $\sigma^2$. Beyond the answer this needs memory for two copies
        of X, or of 8 MB if that is more, whatever the number of replicates.
        """
        belief = _predict(self, self._rows(X), with_noise=True)
        if is_known(self.noise_shape) and np.any(np.asarray(self.noise_shape) <= 1.0):
            return belief.with_budget(UncertaintyBudget.unsplit(TOO_FEW))
        return belief

    def predictive_mean(self, X: ArrayLike) -> np.ndarray:
        """The mean of the belief at the rows of X, (*batch, n): one matrix product, where the belief needs one each."""
        rows = np.asarray(self._rows(X))
        return np.asarray(self.intercept)[..., None] + np.asarray(self.coefficients) @ rows.T

    def posterior(self, X: ArrayLike) -> StudentT | Normal:
        """The belief about the regression function at the rows of X."""
        return _predict(self, self._rows(X), with_noise=False)

    def _rows(self, X: ArrayLike) -> Float[Array, "n d"]:
        rows, d = jnp.asarray(X, dtype=jnp.float64), self.center.shape[-1]
        if rows.ndim != 2 or rows.shape[1] != d:
            raise InputError(
                "LinearPosterior",
                f"X has shape {rows.shape}, but the model was fitted on {d} columns",
                "Columns were dropped, or one row was passed as a vector",
                f"Pass shape (n, {d})",
            )
        if known_not_finite(rows):
            raise InputError(
                "LinearPosterior", "X has NaN or infinite entries", "Values are missing", "Drop those rows"
            )
        return rows


@eqx.filter_jit
def _predict(posterior: LinearPosterior, X: Float[Array, "n d"], *, with_noise: bool) -> StudentT | Normal:
    """Student t with 2a degrees of freedom and squared scale (b/a)([noise] + Var α/σ² + x' R R' x). O(n d r)."""
    slope, spread = _slope_and_spread(posterior, X)
    location = posterior.level[..., None] + slope
    spread = spread + posterior.level_variance[..., None]
    belief: StudentT | Normal
    if posterior.known_noise is not None:
        noise = posterior.known_noise[..., None]
        belief = Normal(location, jnp.sqrt(noise * (spread + with_noise)))
    else:
        noise = posterior.noise_variance.mean[..., None]
        ratio = (posterior.noise_scale / posterior.noise_shape)[..., None]
        degrees = (2.0 * posterior.noise_shape)[..., None]
        belief = StudentT(degrees, location, jnp.sqrt(ratio * (spread + with_noise)))
    if not with_noise:
        return belief
    return belief.with_budget(UncertaintyBudget(noise=noise, parameter=noise * spread))


def _slope_and_spread(posterior: LinearPosterior, X: Float[Array, "n d"]) -> tuple[Array, Array]:
    """m' x and x' R R' x of the centered rows, of shape (*batch, n), a few replicates at a time."""
    batch = posterior.level.shape
    parts = (posterior.center, posterior.coefficients, posterior.root)
    flat = jax.tree.map(lambda part: part.reshape(-1, *part.shape[len(batch) :]), parts)

    def one(parts: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        center, coefficients, root = parts
        offsets = X - center
        return offsets @ coefficients, jnp.sum((offsets @ root) ** 2, axis=-1)

    at_once = max(1, _CENTERED_NUMBERS // max(1, X.size))
    all_fit = at_once >= flat[0].shape[0]  # then without the loop, which costs more than such small products
    slope, spread = jax.vmap(one)(flat) if all_fit else jax.lax.map(one, flat, batch_size=at_once)
    return slope.reshape(*batch, -1), spread.reshape(*batch, -1)


class _Spectrum(NamedTuple):
    """The whitened normal equations in their eigenbasis: what the evidence needs for every prior scale at once."""

    eigenvalues: Float[Array, " d"]
    basis: Float[Array, "d d"]
    projected: Float[Array, " d"]
    total: Float[Array, ""]
    size: Float[Array, ""]
    dof: Float[Array, ""]

    def divided_by(self, penalty: Array) -> Float[Array, " d"]:
        """1 / (λ + penalty), and zero in a direction that neither rows nor prior say anything about."""
        return safe_divide(1.0, self.eigenvalues + penalty)


def linear_posterior(statistics: Moments, prior: LinearPrior) -> LinearPosterior:
    """The posterior given the moments of the rows (x, y), y last. O(d³), whatever the number of rows.

    With `choose_scale` the prior scale maximizes the evidence, starting from a grid, so no local optimum is taken for
    the global one; the prior's own scale is then not looked at. Pure: vmap it over replicates.
    """
    root, spectrum = _whitened(statistics, prior)
    evidence = partial(_log_evidence, spectrum, prior)
    log_scale = _best_log_scale(evidence) if prior.choose_scale else jnp.log(prior.prior_scale)
    log_scale = jnp.full_like(log_scale, jnp.inf) if prior.flat else log_scale
    penalty = _penalty(log_scale)
    inverse = spectrum.divided_by(penalty)
    coefficients = root @ (spectrum.basis @ (spectrum.projected * inverse))
    shape, scale = _noise(spectrum, prior, penalty)
    used = 1.0 if prior.fit_intercept else 0.0
    log_evidence = -jnp.inf if prior.flat else evidence(log_scale) - 0.5 * used * jnp.log(statistics.weight)
    return LinearPosterior(
        coefficients=coefficients if prior.mean is None else prior.mean + coefficients,
        root=root @ (spectrum.basis * jnp.sqrt(inverse)),
        center=used * statistics.mean[:-1],
        level=used * statistics.mean[-1],
        level_variance=used / statistics.weight,
        noise_shape=shape if prior.noise_variance is None else jnp.full_like(shape, jnp.inf),
        noise_scale=scale if prior.noise_variance is None else jnp.full_like(scale, jnp.inf),
        prior_scale=jnp.exp(log_scale),
        log_evidence=jnp.asarray(log_evidence),
        info=Info(condition=jnp.max(inverse) / jnp.min(jnp.where(inverse > 0.0, inverse, jnp.inf))),
        known_noise=prior.noise_variance,
    )


def _whitened(statistics: Moments, prior: LinearPrior) -> tuple[Array, _Spectrum]:
    """The root L of the prior's covariance, and the equations of γ in β = mean + Lγ."""
    scatter = statistics.scatter if prior.fit_intercept else statistics.second
    gram, cross, total = scatter[:-1, :-1], scatter[:-1, -1], scatter[-1, -1]
    size = total  # of what is added up: a prior mean may take nearly all of it away, and leave the round-off
    if prior.mean is not None:
        total = total - 2.0 * prior.mean @ cross + prior.mean @ gram @ prior.mean
        cross = cross - gram @ prior.mean
    root = _units(statistics, gram) if prior.root is None else prior.root
    eigenvalues, basis = symmetric_eigen(root.T @ gram @ root)
    projected = basis.T @ (root.T @ cross)
    # Directions that the rows span by round-off alone say nothing; a weak prior would blow that round-off up.
    spanned = eigenvalues > 8 * len(eigenvalues) * jnp.finfo(jnp.float64).eps * jnp.max(eigenvalues)
    dof = statistics.weight - (1.0 if prior.fit_intercept else 0.0) - (jnp.sum(spanned) if prior.flat else 0.0)
    kept = jnp.where(spanned, eigenvalues, 0.0), basis, jnp.where(spanned, projected, 0.0)
    return root, _Spectrum(*kept, total, size, dof)


def _units(statistics: Moments, gram: Array) -> Array:
    """One over the standard deviation of each column, as a diagonal matrix."""
    spread = jnp.diagonal(gram) / statistics.weight
    # A constant column carries no slope: any scale will do, its coefficient stays at the prior mean zero.
    size = jnp.abs(statistics.mean[:-1]) * jnp.finfo(jnp.float64).eps * 8
    return jnp.diag(jnp.where(spread > size**2, 1.0 / jnp.sqrt(jnp.where(spread > size**2, spread, 1.0)), 1.0))


def _penalty(log_scale: Array) -> Array:
    """s⁻², which stays finite: a product with zero is zero."""
    return jnp.exp(jnp.minimum(-2.0 * log_scale, _MOST))


def _noise(spectrum: _Spectrum, prior: LinearPrior, penalty: Array) -> tuple[Array, Array]:
    r"""The InverseGamma posterior of the noise variance.

    The residual is that of least squares and, without cancellation, what the penalty p adds to it, $\sum_i
    q_i^2\,p / (\lambda_i(\lambda_i + p))$. An exact fit leaves the round-off of the sum of squares, as a constant:
    how far a prior that is chosen then goes would else be chance.
    """
    least = spectrum.total - jnp.sum(spectrum.projected**2 * spectrum.divided_by(jnp.zeros(())))
    added = jnp.sum(spectrum.projected**2 * penalty * spectrum.divided_by(penalty) * spectrum.divided_by(jnp.zeros(())))
    floor = jnp.maximum(_ROUND_OFF * jnp.finfo(jnp.float64).eps * spectrum.size, SMALLEST)
    return prior.noise_shape + 0.5 * spectrum.dof, prior.noise_scale + 0.5 * (jnp.maximum(least, floor) + added)


def _log_evidence(spectrum: _Spectrum, prior: LinearPrior, log_scale: Array) -> Array:
    """log p(y | X, s), with the intercept integrated over its flat prior (up to −½ log Σw, which no scale changes)."""
    penalty = _penalty(log_scale)
    shape, scale = _noise(spectrum, prior, penalty)
    determinant = -0.5 * jnp.sum(jnp.log1p(spectrum.eigenvalues / penalty))
    if prior.noise_variance is not None:
        residual = 2.0 * (scale - prior.noise_scale)
        log_noise = LOG_2PI + jnp.log(prior.noise_variance)
        return determinant - 0.5 * (spectrum.dof * log_noise + residual / prior.noise_variance)
    # For Jeffreys' prior (shape = scale = 0) the normalizer b₀^a₀ / Γ(a₀) is that of the measure dσ²/σ²: one.
    proper = prior.noise_shape > 0
    safe_shape, safe_scale = jnp.where(proper, prior.noise_shape, 1.0), jnp.where(proper, prior.noise_scale, 1.0)
    normalizer = jnp.where(proper, safe_shape * jnp.log(safe_scale) - gammaln(safe_shape), 0.0)
    likelihood = gammaln(shape) - shape * jnp.log(scale) - 0.5 * spectrum.dof * LOG_2PI
    return normalizer + likelihood + determinant


def _best_log_scale(evidence: partial) -> Array:
    """The log prior scale of maximal evidence: best of a grid, then bisection of the slope between its neighbors."""
    low, high, count = _LOG_SCALES
    grid = jnp.linspace(low, high, count)
    best = grid[jnp.argmax(jax.vmap(evidence)(grid))]
    step = (high - low) / (count - 1)
    slope = jax.grad(evidence)

    def halve(_: ArrayLike, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        a, b = ends
        middle = 0.5 * (a + b)
        rising = slope(middle) > 0.0
        return jnp.where(rising, middle, a), jnp.where(rising, b, middle)

    a, b = jax.lax.fori_loop(0, 50, halve, (best - step, best + step))
    return jnp.clip(0.5 * (a + b), low, high)


@eqx.filter_jit
def linear_posteriors(
    rows: Float[Array, "n d"], weights: Float[Array, "b n"], prior: LinearPrior
) -> tuple[Moments, LinearPosterior]:
    """One posterior for each row of weights, with the moments behind it. Rows are (x, y), y last. O(b (n d² + d³))."""

    def one(w: Array) -> tuple[Moments, LinearPosterior]:
        statistics = moments(rows, w)
        return statistics, linear_posterior(statistics, prior)

    # Eight replicates at a time bound the memory at eight centered copies of the rows.
    return jax.lax.map(one, weights, batch_size=min(8, weights.shape[0]))


posterior_of_moments = eqx.filter_jit(linear_posterior)
