"""Functions drawn from the posterior that can be evaluated anywhere, at a cost linear in the number of points."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.infer.gaussian.averaged import AveragedPosterior
from credo.infer.gaussian.evidence import site_variances
from credo.infer.gaussian.posterior import GPPosterior, padded
from credo.infer.gaussian.process import Process
from credo.kernels.fourier import FourierFeatures, stacked_features
from credo.numerics.concrete import placed
from credo.numerics.padding import bucket, filled
from credo.numerics.random import RandomState, as_key
from credo.numerics.rows import map_rows

__all__ = ["MixedPaths", "Paths", "padded_paths", "sample_averaged_paths", "sample_paths"]

_BLOCK = 2**22
_WAVES = 2**14  # features of all paths together, as far as every path keeps between the two numbers below
_FEWEST, _MOST = 128, 2048
_SETS = 16  # of the parameters that are averaged over


class Paths(eqx.Module):
    r"""s functions $f_i(x) = m(x) + \phi_i(x)^\top\theta_i + k(x, X)\,v_i$ (Wilson et al. 2020, eq. 13).

    $\phi_i$ are Fourier features of the kernel with frequencies of path i alone, and the update by the data is exact
    and linear. Therefore the mean and the covariance of a path are those of the posterior, between the data and far
    from them, for any number of features: s paths have the sampling error of s draws. Two errors remain. A path is
    normal only given its frequencies, so its kurtosis at a point is above 3: up to 4 between 10 to 60 measurements with
    noise of 1 % of the variance in one to five columns, and up to 14 without noise, for the fewest features. Where the
    posterior variance is below $10^{-7}$ of the prior variance, that of the paths may be some percent too small.
    Called on rows, it gives s × m values; jit, vmap and gradients pass through.
    """

    process: Process
    features: FourierFeatures  # every array has a leading axis of length s
    theta: Float[Array, "s q"]
    X: Float[Array, "n d"]
    update: Float[Array, "n s"]

    def __call__(self, X: Any) -> Float[Array, "s m"]:
        return _evaluate(self, jnp.asarray(X, dtype=jnp.float64))


def sample_paths(
    posterior: GPPosterior, n: int, *, features: int | None = None, random_state: RandomState = None
) -> Paths:
    """Draw `n` functions by Matheron's rule: a prior function, corrected by what the data say of it.

    `features` is the number of features per path and per term of the kernel, by default 2¹⁴/n but at least 128 and at
    most 2048. Costs O(rows² n) to draw, and O(n (features + rows)) per row to evaluate.
    """
    key = as_key(random_state)
    kernel, d = posterior.process.kernel, posterior.data.X.shape[1]
    map_key, draw_key = jax.random.split(key)
    count = _features(n) if features is None else features
    maps = stacked_features(kernel, n, count, d, random_state=map_key)
    theta, update = _drawn(padded(posterior), maps, draw_key, n)
    rows = posterior.alpha.shape[0]
    return Paths(posterior.process, maps, theta, posterior.data.X, update[:rows])


def padded_paths(paths: Paths) -> Paths:
    """With rows that touch nothing up to the next bucket, so that a further measurement compiles nothing."""
    update = np.asarray(paths.update)
    longer = np.pad(update, [(0, bucket(len(update)) - len(update)), (0, 0)])
    return Paths(paths.process, paths.features, paths.theta, placed(filled(np.asarray(paths.X))), placed(longer))


class MixedPaths(eqx.Module):
    """Functions of several sets of parameters: in `groups` every array has an axis over these first.

    Neighboring functions have different parameters, so that the first few are as good a sample as any.
    """

    groups: Paths
    count: int = eqx.field(static=True)

    def __call__(self, X: Any) -> Float[Array, "s m"]:
        values = eqx.filter_vmap(lambda paths: paths(X), out_axes=1)(self.groups)  # functions of a group × groups × m
        return values.reshape(-1, values.shape[-1])[: self.count]


def sample_averaged_paths(average: AveragedPosterior, n: int, *, random_state: RandomState = None) -> MixedPaths:
    """Draw `n` functions, of at most 16 sets of the parameters by their shares, each as `sample_paths` does."""
    choice_key, key = jax.random.split(as_key(random_state))
    sets = min(n, _SETS)
    chosen = average.resampled(sets, float(jax.random.uniform(choice_key)))
    each = [
        sample_paths(chosen.member(i), -(-n // sets), features=_features(n), random_state=jax.random.fold_in(key, i))
        for i in range(sets)
    ]
    arrays = jax.tree.map(lambda *parts: jnp.stack(parts), *(eqx.filter(paths, eqx.is_array) for paths in each))
    return MixedPaths(eqx.combine(arrays, eqx.filter(each[0], eqx.is_array, inverse=True)), n)


def _features(n: int) -> int:
    return min(max(_WAVES // max(n, 1), _FEWEST), _MOST)


@eqx.filter_jit
def _drawn(posterior: GPPosterior, maps: FourierFeatures, key: Array, n: int) -> tuple[Array, Array]:
    data = posterior.data
    theta_key, noise_key = jax.random.split(key)
    keys = jax.random.split(theta_key, n)
    theta = eqx.filter_vmap(lambda phi, own: jax.random.normal(own, (phi.count,)))(maps, keys)
    _, shared = site_variances(posterior.process, data)
    noise = jnp.sqrt(shared + posterior.factor.info.jitter) * jax.random.normal(noise_key, (n, len(shared)))
    prior = map_rows(lambda x: _prior(maps, theta, x), data.X, cost=theta.size, entries=_BLOCK)
    residual = (data.y - posterior.process.mean(data.X))[:, None] - prior - noise.T
    return theta, posterior.factor.solve(jnp.where(data.present[:, None], residual, 0.0))


def _prior(maps: FourierFeatures, theta: Float[Array, "s q"], X: Float[Array, "m d"]) -> Float[Array, "m s"]:
    return eqx.filter_vmap(lambda phi, weights: phi.weigh(X, weights), out_axes=1)(maps, theta)


@eqx.filter_jit
def _evaluate(paths: Paths, X: Array) -> Array:
    def block(x: Array) -> Array:
        prior = _prior(paths.features, paths.theta, x)
        return paths.process.mean(x)[:, None] + prior + paths.process.kernel.cross(x, paths.X) @ paths.update

    return map_rows(block, X, cost=max(paths.X.shape[0], paths.theta.size), entries=_BLOCK).T
