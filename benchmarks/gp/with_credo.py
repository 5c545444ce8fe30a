"""The contestant: `GPRegressor`, and its compiled code forgotten when a race counts compilation."""

from typing import Any

import jax
import numpy as np
from jax.experimental.compilation_cache.compilation_cache import reset_cache

from benchmarks.gp.problem import Fitted, Moments
from credo.models import GPRegressor


def fit(x: np.ndarray, y: np.ndarray, seed: int, **settings: Any) -> Fitted:
    model = GPRegressor(random_state=seed, **settings).fit(x, y)

    def predict(new: np.ndarray) -> Moments:
        belief = model.predict_dist(new)
        return np.asarray(belief.mean), np.asarray(belief.std)

    return Fitted(
        float(model.kernel_.variance),
        np.asarray(model.kernel_.lengthscale),
        model.noise_variance_ / float(model.scaling_.target_scale) ** 2,
        predict,
    )


def forget_compiled() -> None:
    """What is called next compiles as in a new process, also where a cache of compiled code lies on disk."""
    jax.config.update("jax_enable_compilation_cache", False)
    reset_cache()  # JAX asks once whether it is enabled, and keeps the answer
    jax.clear_caches()
