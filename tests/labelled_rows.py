"""Eight rows with labels and weights, and a prior of three parameters, for approximations of latent Gaussians."""

import jax.numpy as jnp
import numpy as np

N = 8
_RNG = np.random.default_rng(4)
POINTS = np.sort(_RNG.uniform(-3, 3, size=N))
LABELS = (POINTS + _RNG.normal(size=N) > 0).astype(float)
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.0, 0.0, 3.0, 1.0, 1.0])
SHIFT = _RNG.normal(size=N)
THETA = np.array([1.0, 0.3, 0.7])  # log variance, log length-scale, size of the prior mean


def a_covariance(theta, points=POINTS):
    return jnp.exp(theta[0] - 0.5 * ((points[:, None] - points) / jnp.exp(theta[1])) ** 2)
