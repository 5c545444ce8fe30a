r"""How much the dominated volume is expected to grow by the next measurement, of several objectives at once.

$\mathrm{EHVI}(x) = \sum_B \prod_i \int_{l_i}^{u_i} P(f_i(x) \le y)\,dy$ over boxes B that hold what is not dominated
below the reference point; objectives are independent given the data. A factor is a difference of expected
improvements, $\sigma\,[h(b) - h(a)]$ with $h(z) = \varphi(z) + z\Phi(z)$ (Yang, Emmerich, Deutz & Bäck 2019), here in
logarithms (as Ament et al. 2023 do).
"""

from collections.abc import Sequence
from typing import Any, Self

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import logsumexp
from jaxtyping import ArrayLike, Bool, Float

from credo.decide.acquisitions.improvement import Acquisition, averaged
from credo.decide.acquisitions.pareto import free_boxes
from credo.decide.acquisitions.surface import Surface
from credo.errors import InputError
from credo.numerics import gauss_legendre, log1mexp, log_expected_excess, log_ndtr
from credo.numerics.concrete import placed
from credo.numerics.padding import bucket
from credo.numerics.rows import map_rows

__all__ = ["LogExpectedHypervolumeImprovement", "log_expected_overlap"]

_NARROW = 0.03  # below, a rule of three nodes is exact to the last digit, where a difference has lost some
_RULE = gauss_legendre(3)
_WHO = "LogExpectedHypervolumeImprovement"


def log_expected_overlap(mean: ArrayLike, std: ArrayLike, low: ArrayLike, high: ArrayLike) -> Array:
    r"""$\log\mathbb E\left[(u - f)_+ - (l - f)_+\right] = \log\int_l^u P(f \le y)\,dy$ for $f \sim \mathcal N(\mu,
    \sigma^2)$ and $l < u$.

    The length of what is between f and u, and above l. With $l = -\infty$ it is the expected improvement on u. Stable
    in both tails, for intervals of any length, and in its gradient.

    >>> f"{log_expected_overlap(mean=5.0, std=0.1, low=-float('inf'), high=0.0):.2f}"
    '-1261.05'
    """
    mean, std, low, high = (jnp.asarray(x, dtype=jnp.float64) for x in (mean, std, low, high))
    unbounded = jnp.isneginf(low)
    gap = jnp.where(unbounded, jnp.inf, (high - jnp.where(unbounded, high, low)) / std)
    return jnp.log(std) + _log_integral(*jnp.broadcast_arrays((high - mean) / std, gap))


@jax.custom_jvp
def _log_integral(b: Array, gap: Array) -> Array:
    r"""$\log\int_a^b\Phi(z)\,dz = \log(h(b) - h(a))$ for a = b - gap."""
    near, far, right = _ends(b, gap)
    by_nodes = jnp.log(0.5 * gap) + logsumexp(log_ndtr(_nodes(b, gap)), axis=-1, b=_RULE.weights)
    larger, smaller = log_expected_excess(near), log_expected_excess(far)
    wide = ~_narrow(b, gap) & ~jnp.isinf(gap)
    difference = larger + log1mexp(jnp.where(wide, smaller - larger, -1.0))
    from_length = jnp.log(jnp.where(right & wide, gap - jnp.exp(difference), 1.0))
    value = jnp.where(right, from_length, difference)
    return jnp.where(wide, value, jnp.where(jnp.isinf(gap), larger, by_nodes))


@_log_integral.defjvp
def _log_integral_jvp(primals: tuple[Array, Array], tangents: tuple[Any, Any]) -> tuple[Array, Any]:
    value, (b, gap) = _log_integral(*primals), primals
    near, far, right = _ends(b, gap)
    larger, smaller = log_ndtr(near), log_ndtr(far)
    density = -0.5 * _nodes(b, gap) ** 2 - 0.5 * np.log(2.0 * np.pi)
    by_nodes = jnp.exp(jnp.log(0.5 * gap) + logsumexp(density, axis=-1, b=_RULE.weights) - value)
    below = jnp.where(jnp.isinf(gap), 0.0, jnp.exp(smaller - value))
    to_end = jnp.where(_narrow(b, gap), by_nodes, jnp.exp(larger - value) - below)
    to_gap = jnp.where(right, -jnp.expm1(larger) * jnp.exp(-value), below)
    return value, to_end * tangents[0] + to_gap * tangents[1]


def _ends(b: Array, gap: Array) -> tuple[Array, Array, Array]:
    r"""Two numbers, the first larger, with $|h(b) - h(a)|$ between them, and whether they are mirrored.

    To the right of zero they are -a and -b, where h is small: $h(z) = z + h(-z)$, so that the interval is what counts,
    less the difference there. An end that is not there is b itself.
    """
    a = b - jnp.where(jnp.isinf(gap), 0.0, gap)
    right = (a > 0.0) & ~jnp.isinf(gap)
    return jnp.where(right, -a, b), jnp.where(right, -b, a), right


def _nodes(b: Array, gap: Array) -> Array:
    """Of the rule, in a narrow interval; in a wide one, whose value is not by them, at its end."""
    length = jnp.where(_narrow(b, gap), gap, 0.0)[..., None]
    return b[..., None] - 0.5 * length * (1.0 - _RULE.nodes)


def _narrow(b: Array, gap: Array) -> Array:
    return gap * (1.0 + jnp.abs(b)) < _NARROW


class LogExpectedHypervolumeImprovement(Acquisition):
    r"""The logarithm of the expected growth of the dominated volume, of as many objectives as there are surfaces.

    `lower` and `upper` are boxes that hold what is free, in the units of the surfaces; those that are not `present`
    fill up to one of few lengths, so that a front that grows compiles nothing. Their first axis is that of the beliefs,
    or one where all beliefs have one front. Exact where the objectives are independent given the data. O(k m) a row and
    belief, beside the moments, for k boxes. Make it by `of`.
    """

    surfaces: tuple[Surface, ...]
    lower: Float[Array, "b k m"]
    upper: Float[Array, "b k m"]
    present: Bool[Array, "b k"]

    @classmethod
    def of(
        cls,
        surfaces: Sequence[Surface],
        fronts: Sequence[Float[np.ndarray, "_ m"]],
        reference: Float[np.ndarray, " r"],
    ) -> Self:
        """From values that are known, of which less is better: one table for all beliefs, or one for each.

        Rows that are dominated do no harm. Without rows everything below the reference is a gain.
        """
        if len(surfaces) != len(reference) or not fronts:
            what = f"{len(surfaces)} surfaces, {len(reference)} numbers of the reference, {len(fronts)} fronts"
            raise InputError(_WHO, what, "An objective has a surface and a reference", "Pass as many of each")
        all_boxes = [free_boxes(front, reference) for front in fronts]
        length = bucket(max(len(boxes.lower) for boxes in all_boxes))
        lower = np.stack([np.pad(b.lower, [(0, length - len(b.lower)), (0, 0)]) for b in all_boxes])
        upper = np.stack([np.pad(b.upper, [(0, length - len(b.upper)), (0, 0)]) for b in all_boxes])
        present = np.stack([np.arange(length) < len(b.lower) for b in all_boxes])
        lower, upper = np.where(present[..., None], lower, -np.inf), np.where(present[..., None], upper, reference)
        return cls(tuple(surfaces), placed(lower), placed(upper), placed(present))

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        cost = self.present.shape[1] * max(self.present.shape[0], self.surfaces[0].moments(X[:1])[0].shape[1])
        return map_rows(self._of_rows, X, cost=4 * cost)

    def _of_rows(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        total = jnp.where(self.present, 0.0, -jnp.inf)[None]
        for i, surface in enumerate(self.surfaces):
            mean, variance = surface.moments(X)
            total = total + log_expected_overlap(
                mean[:, :, None], jnp.sqrt(variance)[:, :, None], self.lower[None, :, :, i], self.upper[None, :, :, i]
            )
        return averaged(logsumexp(total, axis=2))
