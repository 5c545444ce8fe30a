"""How likely a trial is to fail, learnt from those that did: a Gaussian process behind a probit."""

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.decide.acquisitions import Surface
from credo.decide.study.columns import in_units, units_of
from credo.decide.study.known import Known
from credo.decide.study.surrogate import starting_kernel
from credo.infer.gaussian.classes import ClassPosterior, Labels, learn_classes
from credo.infer.latent import LatentApproximation
from credo.numerics.concrete import placed
from credo.numerics.padding import pad
from credo.represent.space import Space

__all__ = ["CrashSurface", "learn_crashes"]


class CrashSurface(Surface):
    r"""A number below zero where a trial succeeds: $P(\text{fails}) = \Phi\!\left(m/\sqrt{1 + v}\right)$ of the latent
    function's moments, by expectation propagation (Rasmussen and Williams 2006, §3.6)."""

    posterior: ClassPosterior
    shift: Float[Array, " d"]
    scale: Float[Array, " d"]

    def moments(self, X: Float[Array, "m d"]) -> tuple[Float[Array, "m 1"], Float[Array, "m 1"]]:
        rows = (X - self.shift) / self.scale
        kernel, latent = self.posterior.kernel, self.posterior.latent
        assert isinstance(latent, LatentApproximation)
        mean, variance = latent.predict(kernel.cross(rows, self.posterior.X), kernel.diagonal(rows))
        return mean[:, None], 1.0 + variance[:, None]


def learn_crashes(space: Space, known: Known, seed: int) -> CrashSurface | None:
    """The belief about whether a trial fails; None where none has, or all have."""
    if not len(known.failed) or not len(known.rows):
        return None
    rows = in_units(space, np.concatenate([known.rows, known.failed]))
    codes = np.repeat([0.0, 1.0], [len(known.rows), len(known.failed)])
    labels = Labels(*(placed(part) for part in pad(rows, codes, weights=np.ones(len(codes)))))
    rng = np.random.default_rng(seed)
    found = learn_classes(starting_kernel(space), labels, 2, approximation="ep", rng=rng, who="ask")
    return CrashSurface(found.value, *(jnp.asarray(part) for part in units_of(space)))
