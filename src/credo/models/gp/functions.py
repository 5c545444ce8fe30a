"""What can be asked of a fitted belief over functions: marginals, joints, draws, leave-one-out, sequential evidence."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from sklearn.utils.validation import check_is_fitted

from credo.beliefs import Belief, Mixture, MultivariateNormal, Normal, UncertaintyBudget
from credo.errors import InputError
from credo.infer.gaussian.averaged import AveragedPosterior
from credo.infer.gaussian.evidence import Evidence
from credo.infer.gaussian.loo import leave_one_out, leave_one_out_each, sequential_log_densities
from credo.infer.gaussian.paths import sample_averaged_paths, sample_paths
from credo.infer.gaussian.posterior import GPPosterior
from credo.infer.gaussian.uncertain_inputs import variance_over_inputs
from credo.kernels import Kernel, Sum
from credo.models.base import Regressor
from credo.models.gp.paths import FunctionPaths
from credo.models.gp.scaling import Standardization
from credo.numerics.concrete import placed
from credo.numerics.padding import filled, pad
from credo.numerics.random import RandomState, as_key
from credo.numerics.scalar import safe_log
from credo.represent.validation import checked_features, in_credos_words

__all__ = ["FunctionRegressor", "checked_noise"]


class FunctionRegressor(Regressor):
    """A regressor whose belief is over functions. A subclass fits, and then calls `_keep`."""

    kernel_: Kernel
    noise_variance_: float
    log_evidence_: float
    evidence_: Evidence
    posterior_: GPPosterior
    average_: AveragedPosterior | None
    scaling_: Standardization
    targets_: np.ndarray
    sites_: np.ndarray

    def _keep(self, posterior: GPPosterior, y: np.ndarray, sites: np.ndarray) -> None:
        """Keep the posterior, the single targets and the point each was measured at."""
        self.posterior_, self.targets_, self.sites_ = posterior, y, sites
        self.kernel_ = posterior.process.kernel
        weights, scale = np.asarray(posterior.data.weights), float(self.scaling_.target_scale)
        noise = _noise_at_points(posterior)
        self.noise_variance_ = float(np.average(noise, weights=weights)) * scale**2
        # The density of y in its own units; measurements without noise count once, as they do in the evidence.
        densities = float(np.sum(np.where(_are_noisy(posterior), weights, 1.0)))
        fit, complexity, constant = (float(part) for part in posterior.evidence)
        self.evidence_ = Evidence(fit, complexity, constant - densities * float(np.log(scale)))
        self.log_evidence_ = float(self.evidence_.total)

    @property
    def typical_noise_(self) -> float:
        """The variance that a new row has for known noise if none is passed, in squared units of y.

        It is the median of the known noise of the training rows, and zero where they had none.
        """
        data = self.posterior_.data
        return _median(np.asarray(data.known), np.asarray(data.weights)) * float(self.scaling_.target_scale) ** 2

    def predict_dist(self, X: Any, *, noise: Any = None) -> Belief:
        """The belief about a new observation at each row of X, with its uncertainty budget.

        `noise` is the known variance of the measurement at each row, one number or one per row, in squared units of y;
        noise that was learned is added to it. By default it is ``typical_noise_``, the median of what `fit` was given.
        At an uncertain input, the variance of f over the input is part of the noise.
        """
        belief, rows = self._padded_belief(X, noise)
        return belief[:rows]

    def predict_interval(self, X: Any, level: float = 0.9, *, noise: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """``(low, high)``: where a new observation lies with probability `level`, at each row of X.

        `noise` is the known variance of the measurement at each row, as for `predict_dist`.
        """
        belief, rows = self._padded_belief(X, noise)
        low, high = belief.interval(level)
        return np.asarray(low)[:rows], np.asarray(high)[:rows]

    def _padded_belief(self, X: Any, noise: Any = None) -> tuple[Belief, int]:
        X = checked_features(self, X)
        known = self.typical_noise_ if noise is None else noise
        known = checked_noise(
            type(self).__name__, np.broadcast_to(known, len(X)) if np.ndim(known) == 0 else known, len(X)
        )
        return self._belief(filled(X), filled(known)), len(X)

    def _belief(self, X: np.ndarray, known: np.ndarray | None = None) -> Belief:
        points = self._points(X)
        mean, variance, noise = self._moments(points)
        if self.kernel_.has_uncertain_inputs:
            noise = noise + variance_over_inputs(self.posterior_ if self.average_ is None else self.average_, points)
        if known is not None:
            measured = jnp.asarray(self.scaling_.variances(known))
            noise = noise + (measured if noise.ndim == 1 else measured[:, None])
        return self._in_your_units(mean, variance, noise)

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the belief at each row of X. O(n) a row, where the belief takes O(n²)."""
        check_is_fitted(self)
        if self.average_ is not None:
            return super().predict(X)
        rows = checked_features(self, X)
        mean = np.asarray(self.posterior_.mean(self._points(filled(rows))))[: len(rows)]
        mean = float(self.scaling_.target_shift) + float(self.scaling_.target_scale) * mean
        return mean if np.all(np.isfinite(mean)) else super().predict(X)  # which says what is wrong

    def _points(self, X: np.ndarray) -> np.ndarray:
        """Rows in standard units; refused where they are not points of the kernel."""
        self.kernel_.require_points(placed(X), type(self).__name__)
        return self.scaling_.inputs(X)

    def posterior(self, X: Any) -> Belief:
        """The belief about f at each row of X, without noise; where the input is uncertain, about its average."""
        X = checked_features(self, X)
        mean, variance, noise = self._moments(self._points(filled(X)))
        return self._in_your_units(mean, variance, jnp.zeros_like(noise))[: len(X)]

    def _moments(self, X: np.ndarray) -> tuple[Array, Array, Array]:
        """Mean and variance of f and the noise variance, rows or rows × draws, in standard units."""
        if self.average_ is not None:
            return self.average_.marginals(X)
        latent = self.posterior_.predict(X)
        return latent.mean, latent.variance, self.posterior_.noise(X)

    def _in_your_units(self, mean: Array, variance: Array, noise: Array, *, centered: bool = False) -> Belief:
        shift, scale = 0.0 if centered else self.scaling_.target_shift, self.scaling_.target_scale
        belief = Normal(shift + scale * mean, scale * jnp.sqrt(variance + noise))
        if mean.ndim == 1:
            return belief.with_budget(UncertaintyBudget(noise=scale**2 * noise, parameter=scale**2 * variance))
        average: AveragedPosterior = self.average_  # type: ignore[assignment]
        mixture = Mixture(average.weights, belief)
        return mixture.with_budget(_averaged_budget(mixture, scale**2 * noise @ average.weights, average.effective))

    def decompose(self, X: Any) -> tuple[Belief, ...]:
        """The belief about each term of a kernel that is a sum, at each row of X: what of f is trend, what is season.

        The terms are beliefs about functions that add up to f, less its mean function and the average of the targets;
        they are dependent, so variances do not add up. One cross-covariance a term, times the number of draws where
        parameters are averaged over.
        """
        X = checked_features(self, X)
        rows = self._points(filled(X))
        found: GPPosterior | AveragedPosterior = self.posterior_ if self.average_ is None else self.average_
        kernel = self.kernel_ if self.average_ is None else self.average_.members.process.kernel
        terms = kernel.terms if isinstance(kernel, Sum) else (kernel,)
        return tuple(self._term(found.of_term(term), rows)[: len(X)] for term in terms)

    def _term(self, part: GPPosterior | AveragedPosterior, rows: np.ndarray) -> Belief:
        if isinstance(part, AveragedPosterior):
            mean, variance, _ = part.marginals(rows)
        else:
            mean, variance = (belief := part.predict(rows)).loc, belief.variance
        return self._in_your_units(mean, variance, jnp.zeros_like(mean), centered=True)

    def joint(self, X: Any) -> MultivariateNormal:
        """The belief about f at all rows of X together, with their full covariance. O(m n² + m² n + m³).

        Where parameters are averaged over, the belief is a mixture and this is the normal with its mean and covariance;
        `sample` draws from the mixture itself.
        """
        X = checked_features(self, X)
        found: GPPosterior | AveragedPosterior = self.posterior_ if self.average_ is None else self.average_
        joint = found.joint(self._points(X))
        shift, scale = self.scaling_.target_shift, self.scaling_.target_scale
        return MultivariateNormal(shift + scale * joint.loc, scale**2 * joint.covariance)

    def sample(self, X: Any, n: int = 1, random_state: RandomState = None) -> np.ndarray:
        """n draws of f at all rows of X together, n × m; with averaged parameters each from a draw of them."""
        if self.average_ is None:
            return np.asarray(self.joint(X).sample(n, random_state))
        values = self.average_.sample(self._points(checked_features(self, X)), n, as_key(random_state))
        return float(self.scaling_.target_shift) + float(self.scaling_.target_scale) * values

    def sample_prior(self, X: Any, n: int = 1, random_state: RandomState = None) -> np.ndarray:
        """n draws of f before the data, at the parameters of the posterior, n × m."""
        X = self._points(checked_features(self, X))
        process = self.posterior_.process
        covariance = process.kernel(X)
        jitter = 1e-10 * jnp.mean(jnp.diagonal(covariance))
        joint = MultivariateNormal(process.mean(jnp.asarray(X)), covariance + jitter * jnp.eye(len(X)))
        draws = np.asarray(joint.sample(n, random_state))
        return float(self.scaling_.target_shift) + float(self.scaling_.target_scale) * draws

    def sample_paths(self, n: int = 1, random_state: RandomState = None) -> FunctionPaths:
        """n functions drawn from the posterior, to be evaluated anywhere: ``paths(X)`` is n × m, linear in m.

        Their mean and covariance are those of `joint(X)`; values are normal approximately (see `FunctionPaths`). Where
        parameters are averaged over, the functions are of at most 16 draws of them.
        """
        if self.average_ is None:
            return FunctionPaths(sample_paths(self.posterior_, n, random_state=random_state), self.scaling_)
        return FunctionPaths(sample_averaged_paths(self.average_, n, random_state=random_state), self.scaling_)

    @property
    def loo_(self) -> Belief:
        """The belief about each row of fit from all the others, at the same parameters; computed when asked for. O(n³).

        With averaged parameters the draws are weighted by how little each was told by the row that is left out.
        """
        y = self.scaling_.targets(self.targets_)
        if self.average_ is None:
            belief = leave_one_out(self.posterior_, y, self.sites_)
            return self._in_your_units(belief.mean, belief.budget.parameter, belief.budget.noise)  # type: ignore[arg-type]
        each = leave_one_out_each(self.average_, y, self.sites_)
        shares = jax.nn.softmax(safe_log(self.average_.weights) - each.log_prob(jnp.asarray(y)).T, axis=1)
        shift, scale = self.scaling_.target_shift, self.scaling_.target_scale
        mixture = Mixture(shares, Normal(shift + scale * each.loc.T, scale * each.scale.T))
        noise = scale**2 * jnp.sum(shares * each.budget.noise.T, axis=1)  # type: ignore[union-attr]
        return mixture.with_budget(_averaged_budget(mixture, noise, self.average_.effective))

    def evidence_path(self, order: Any = None) -> np.ndarray:
        """log p(yᵢ | the rows before it) for each row of fit in the order given: the evidence as sequential prediction.

        The values add up to ``log_evidence_`` where every weight is one. A measurement without noise that was made
        before counts nothing. O(n³/3).
        """
        n = len(self.targets_)
        order = np.arange(n) if order is None else np.asarray(order)
        if order.shape != (n,) or not np.array_equal(np.sort(order), np.arange(n)):
            raise InputError(
                type(self).__name__,
                f"order has shape {order.shape} for {n} rows, or is no permutation of them",
                "Each row of fit comes once",
                f"Try np.random.permutation({n})",
            )
        data, sites = self.posterior_.data, self.sites_[order]
        y = self.scaling_.targets(self.targets_[order])
        counted = _are_noisy(self.posterior_)[sites]
        counted[np.unique(sites, return_index=True)[1]] = True  # the first at its point
        rows = pad(np.asarray(data.X)[sites], y, np.asarray(data.known)[sites], weights=counted)
        steps = sequential_log_densities(self.posterior_.process, *(placed(part) for part in rows))
        return np.asarray(steps)[:n] - counted * np.log(float(self.scaling_.target_scale))


def _averaged_budget(mixture: Mixture, noise: Array, effective: float) -> UncertaintyBudget:
    """The budget of an average over draws of the parameters.

    The means of the draws vary by `between`, so that their average is off by a variance of between / effective: the
    computation part, which more draws remove.
    """
    computation = mixture.between / max(effective, 1.0)
    rest = jnp.maximum(mixture.variance - noise - computation, 0.0)
    return UncertaintyBudget(noise=noise, parameter=rest, computation=computation)


def _noise_at_points(posterior: GPPosterior) -> np.ndarray:
    """The variance of one measurement at each point, in standard units."""
    X, known = np.asarray(posterior.data.X), np.asarray(posterior.data.known)
    return np.asarray(posterior.noise(filled(X)))[: len(known)] + known


def _are_noisy(posterior: GPPosterior) -> np.ndarray:
    """Whether repeated measurements at a point may differ: by noise, or by their uncertain input."""
    kernel, X = posterior.process.kernel, np.asarray(posterior.data.X)
    noisy = _noise_at_points(posterior) > 0.0
    if not kernel.has_uncertain_inputs:
        return noisy
    return noisy | (np.asarray(kernel.input_noise(placed(filled(X))))[: len(X)] > 0.0)


def checked_noise(who: str, noise: Any, rows: int) -> np.ndarray:
    """The known variance of the measurement at each of so many rows."""
    with in_credos_words(who):
        known = np.asarray(noise, dtype=np.float64)
    if known.shape != (rows,) or not np.all(np.isfinite(known)) or np.any(known < 0):
        raise InputError(
            who,
            f"noise has shape {known.shape} for {rows} rows, or a value below zero or not finite",
            "It is the variance of each measurement: its error bar, squared",
            "Pass one variance for each row",
        )
    return known


def _median(values: np.ndarray, weights: np.ndarray) -> float:
    """The median of values of which each occurs as often as its weight."""
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    half = 0.5 * below[-1]
    middle = np.searchsorted(below, [half * (1.0 - 1e-12), half * (1.0 + 1e-12)])
    return float(np.mean(values[order][np.minimum(middle, len(values) - 1)]))
