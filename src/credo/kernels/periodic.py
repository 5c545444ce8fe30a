"""Covariances of functions that repeat themselves, exactly or nearly."""

import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float

from credo.errors import InputError
from credo.kernels.base import Kernel
from credo.kernels.columns import require_one_each
from credo.kernels.distances import squared_distances
from credo.kernels.priors import BANDWIDTH, LENGTHSCALE, PERIOD, VARIANCE
from credo.numerics.constraints import Positive, Real
from credo.numerics.parameters import parameter

__all__ = ["Cosine", "Periodic", "SpectralMixture"]

_TURN = 2.0 * jnp.pi


class Periodic(Kernel):
    r"""$k(x, x') = \sigma^2 \exp\bigl(-2 \sum_j \sin^2(\pi (x_j - x'_j)/p_j)/\ell_j^2\bigr)$: functions of period p.

    It is an RBF on the circle, where $|u - u'|^2 = 4 \sin^2(\pi(x - x')/p)$ (MacKay 1998; Rasmussen and Williams 2006,
    eq. 4.31). Period and length-scale are one for all columns or one a column.

    >>> k = Periodic(period=2.0)
    >>> print(k([[0.0]], [[1.0], [2.0], [4.0]]).round(6))
    [[0.135335 1.       1.      ]]
    """

    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)
    lengthscale: Float[Array, "..."] = parameter(Positive(prior=LENGTHSCALE), default=1.0)
    period: Float[Array, "..."] = parameter(Positive(prior=PERIOD), default=1.0)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return self.variance * jnp.exp(-0.5 * squared_distances(self._on_circles(X), self._on_circles(Z)))

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.broadcast_to(self.variance, X.shape[:1])

    def _on_circles(self, X: Array) -> Array:
        angle = _TURN * X / self.period
        return jnp.concatenate([jnp.cos(angle) / self.lengthscale, jnp.sin(angle) / self.lengthscale], axis=1)

    def require_columns(self, d: int, who: str) -> None:
        require_one_each(self, "lengthscale", d, who)
        require_one_each(self, "period", d, who)


class Cosine(Kernel):
    r"""$k(x, x') = \sigma^2 \cos\bigl(2\pi \sum_j (x_j - x'_j)/p_j\bigr)$: one sine wave, of unknown phase and height.

    In several columns it is a plane wave, with period $p_j$ along column j.

    >>> float(Cosine(period=2.0)([[0.0]], [[1.0]])[0, 0])
    -1.0
    """

    variance: Float[Array, ""] = parameter(Positive(prior=VARIANCE), default=1.0)
    period: Float[Array, "..."] = parameter(Positive(prior=PERIOD), default=1.0)

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return self.variance * _wave(X / self.period, Z / self.period)

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.broadcast_to(self.variance, X.shape[:1])

    def require_columns(self, d: int, who: str) -> None:
        require_one_each(self, "period", d, who)


def _wave(turns: Float[Array, "n d"], others: Float[Array, "m d"]) -> Float[Array, "n m"]:
    """cos 2π Σ(u − u') as cos cos + sin sin: a product of rank two, with trigonometry a row and not a pair."""
    a, b = _TURN * jnp.sum(turns, axis=1), _TURN * jnp.sum(others, axis=1)
    return jnp.cos(a)[:, None] * jnp.cos(b)[None, :] + jnp.sin(a)[:, None] * jnp.sin(b)[None, :]


class SpectralMixture(Kernel):
    r"""$k = \sum_q w_q \exp(-2\pi^2 \sum_j s_{qj}^2 \tau_j^2) \cos(2\pi \sum_j \mu_{qj} \tau_j)$ with $\tau = x - x'$.

    The Fourier transform of a mixture of q Gaussians of frequency, with weights $w_q$ (q,), means $\mu_{qj}$ (q, d)
    and standard deviations $s_{qj}$ (q, d), mirrored at zero; enough of them come near any stationary covariance
    (Wilson and Adams 2013, eq. 12; in several columns they have a product of cosines, the transform of a mixture
    mirrored at every axis). Costs O(nmdq), in the memory of one term.

    >>> k = SpectralMixture(weights=[1.0, 0.5], means=[[0.0], [2.0]], scales=[[0.1], [0.1]])
    >>> print(k([[0.0]], [[0.0], [0.25]]).round(6))
    [[1.5      0.493869]]
    """

    weights: Float[Array, " q"] = parameter(Positive(prior=VARIANCE), event_ndim=1)
    means: Float[Array, "q d"] = parameter(Real(), event_ndim=2)
    scales: Float[Array, "q d"] = parameter(Positive(prior=BANDWIDTH), event_ndim=2)

    def __post_init__(self) -> None:
        super().__post_init__()
        shapes = self.weights.shape, self.means.shape, self.scales.shape
        if self.means.ndim != 2 or self.weights.shape != self.means.shape[:1] or self.scales.shape != self.means.shape:
            raise InputError(
                "SpectralMixture",
                "weights, means and scales have shapes {}, {} and {}".format(*shapes),
                "There is one weight a component, one mean and one scale a component and column",
                "Pass shapes (q,), (q, d) and (q, d)",
            )

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        def add(total: Array, component: tuple[Array, Array, Array]) -> tuple[Array, None]:
            weight, mean, scale = component
            decay = jnp.exp(-0.5 * squared_distances(X, Z, 1.0 / (_TURN * scale)))
            return total + weight * decay * _wave(X * mean, Z * mean), None

        nothing = jnp.zeros((X.shape[0], Z.shape[0]))
        return lax.scan(add, nothing, (self.weights, self.means, self.scales))[0]

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.broadcast_to(jnp.sum(self.weights), X.shape[:1])

    def require_columns(self, d: int, who: str) -> None:
        q, columns = self.means.shape
        if d != columns:
            raise InputError(
                who,
                f"X has {d} columns, but the kernel was given means of {columns}",
                "Every component has a mean and a scale per column",
                f"Try means and scales of shape ({q}, {d})",
            )
