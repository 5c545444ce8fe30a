"""Functions drawn from the posterior that can be evaluated anywhere, at a cost linear in the number of points."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.infer.gaussian.evidence import site_variances
from credo.infer.gaussian.posterior import GPPosterior, padded
from credo.infer.gaussian.process import Process
from credo.kernels.fourier import fourier_features
from credo.numerics.concrete import placed
from credo.numerics.padding import bucket, filled
from credo.numerics.random import RandomState, as_key
from credo.numerics.rows import map_rows

__all__ = ["Paths", "padded_paths", "sample_paths"]

_BLOCK = 2**22


class Paths(eqx.Module):
    r"""s functions $f_s(x) = m(x) + \phi(x)^\top\theta_s + k(x, X)\,v_s$ (Wilson et al. 2020, eq. 13).

    $\phi$ are Fourier features of the kernel, so the prior part is approximate and says so in its error, which shrinks
    as $1/\sqrt{\text{features}}$; the update by the data is exact. Called on rows it gives s × m values; jit, vmap and
    gradients pass through.
    """

    process: Process
    features: eqx.Module
    theta: Float[Array, "s q"]
    X: Float[Array, "n d"]
    update: Float[Array, "n s"]

    def __call__(self, X: Any) -> Float[Array, "s m"]:
        return _evaluate(self, jnp.asarray(X, dtype=jnp.float64))


def sample_paths(posterior: GPPosterior, n: int, *, features: int = 2048, random_state: RandomState = None) -> Paths:
    """Draw `n` functions by Matheron's rule: a prior function, corrected by what the data say of it. O(n² s)."""
    key = as_key(random_state)
    kernel, d = posterior.process.kernel, posterior.data.X.shape[1]
    map_key, draw_key = jax.random.split(key)
    basis = fourier_features(kernel, features, d, random_state=map_key)
    aligned = padded(posterior)
    theta, update = _drawn(aligned, basis, draw_key, n)
    rows = posterior.alpha.shape[0]
    return Paths(posterior.process, basis, theta, posterior.data.X, update[:rows])


def padded_paths(paths: Paths) -> Paths:
    """With rows that touch nothing up to the next bucket, so that a further measurement compiles nothing."""
    update = np.asarray(paths.update)
    longer = np.pad(update, [(0, bucket(len(update)) - len(update)), (0, 0)])
    return Paths(paths.process, paths.features, paths.theta, placed(filled(np.asarray(paths.X))), placed(longer))


@eqx.filter_jit
def _drawn(posterior: GPPosterior, basis: Any, key: Array, n: int) -> tuple[Array, Array]:
    data = posterior.data
    theta_key, noise_key = jax.random.split(key)
    phi = basis(data.X)
    theta = jax.random.normal(theta_key, (n, phi.shape[1]))
    _, shared = site_variances(posterior.process, data)
    noise = jnp.sqrt(shared + posterior.factor.info.jitter) * jax.random.normal(noise_key, (n, len(shared)))
    residual = data.y - posterior.process.mean(data.X) - theta @ phi.T - noise
    return theta, posterior.factor.solve(jnp.where(data.present, residual, 0.0).T)


@eqx.filter_jit
def _evaluate(paths: Paths, X: Array) -> Array:
    def block(x: Array) -> Array:
        prior = paths.features(x) @ paths.theta.T  # type: ignore[operator]
        return paths.process.mean(x)[:, None] + prior + paths.process.kernel.cross(x, paths.X) @ paths.update

    return map_rows(block, X, cost=max(paths.X.shape[0], paths.theta.shape[1]), entries=_BLOCK).T
