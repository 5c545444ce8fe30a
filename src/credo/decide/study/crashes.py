"""How likely a trial is to fail, learnt from those that did: a Gaussian process behind a probit."""

import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.beliefs import LogNormal
from credo.decide.acquisitions import Surface
from credo.decide.study.columns import in_units, over_columns, units_of
from credo.decide.study.known import Known
from credo.decide.study.surrogate import starting_kernel
from credo.infer.gaussian.classes import ClassPosterior, Labels, learn_classes
from credo.infer.latent import LatentApproximation
from credo.kernels import Hamming, Kernel, Matern52
from credo.models.gp.defaults import default_kernel
from credo.numerics.concrete import placed
from credo.numerics.constraints import Positive
from credo.numerics.padding import pad
from credo.represent.space import Space

__all__ = ["CrashSurface", "learn_crashes"]

# Of the latent function, the median of its prior. Settings mostly decide whether a trial fails: at a variance
# of ten they do so with a probability of 90 % or more in two thirds of the space, at one in a fifth of it.
_VARIANCE = 10.0
_PRIOR = LogNormal(jnp.asarray(np.log(_VARIANCE)), jnp.asarray(1.0))  # one object, so that nothing is compiled again


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


def learn_crashes(space: Space, known: Known, seed: int, *, decided: bool = True) -> CrashSurface | None:
    """The belief about whether a trial fails; None where none has, or all have.

    With `decided`, settings are taken to mostly decide it; without, chance counts as much.
    """
    if not len(known.failed) or not len(known.rows):
        return None
    rows = in_units(space, np.concatenate([known.rows, known.failed]))
    codes = np.repeat([0.0, 1.0], [len(known.rows), len(known.failed)])
    labels = Labels(*(placed(part) for part in pad(rows, codes, weights=np.ones(len(codes)))))
    rng = np.random.default_rng(seed)
    kernel = _deciding_kernel(space) if decided else starting_kernel(space)
    found = learn_classes(kernel, labels, 2, approximation="ep", rng=rng, who="ask")
    return CrashSurface(found.value, *(jnp.asarray(part) for part in units_of(space)))


def _deciding_kernel(space: Space) -> Kernel:
    """The usual kernel with a larger variance."""

    def smooth(count: int) -> Kernel:
        variance = Positive(_VARIANCE, prior=_PRIOR)
        return Matern52(variance=variance, lengthscale=default_kernel(count).lengthscale)  # type: ignore[arg-type]

    return over_columns(space, smooth, lambda count: Hamming(lengthscale=jnp.ones(count)))
