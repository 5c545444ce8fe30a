r"""A wide optimum rather than a sharp one: the belief about a function averaged over how far settings are off.

$g(x) = \mathbb E_\delta f(x + \delta)$ is a linear functional of f, so of a Gaussian process it is normal, with mean
$\sum_k w_k\,\mu(x + \delta_k)$ and variance $\sum_{kl} w_k w_l \operatorname{Cov}(f(x + \delta_k), f(x + \delta_l))$
over nodes δ with weights w. Optimizing g in place of f is robust to what cannot be set exactly (Fröhlich et al. 2020).
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.decide.acquisitions.joint import JointSurface, covariances
from credo.decide.acquisitions.normals import even_normals
from credo.decide.acquisitions.surface import Surface
from credo.errors import InputError
from credo.numerics import gauss_normal, tensor_rule
from credo.numerics.random import RandomState

__all__ = ["Perturbations", "PerturbedSurface", "normal_perturbations"]

_NODES = {1: 9, 2: 5}  # of the rule in each of the perturbed columns
_DRAWS = 32
_ROUND_OFF = 1e-6  # of the least variance at the nodes


class Perturbations(NamedTuple):
    """How far rows of the encoding are off, and with which weight; the weights add up to one."""

    shifts: Float[np.ndarray, "k d"]
    weights: Float[np.ndarray, " k"]


def normal_perturbations(
    deviations: Float[np.ndarray, " d"], *, draws: int = _DRAWS, random_state: RandomState = None
) -> Perturbations:
    """Normal errors of settings, independent, with these standard deviations in units of the encoding (0: exact).

    One or two columns that are perturbed have the nodes of Gauss and Hermite, nine or five in each; of more there are
    `draws` quasi-random ones, each with its mirror image, so that linear functions are averaged exactly.

    >>> normal_perturbations(np.array([0.1, 0.0])).shifts.shape
    (9, 2)
    """
    deviations = np.asarray(deviations, dtype=np.float64)
    if not np.all(np.isfinite(deviations) & (deviations >= 0.0)):
        what = f"standard deviations {deviations}"
        raise InputError("normal_perturbations", what, "They are zero or more", "Pass one a column")
    moved = np.flatnonzero(deviations)
    shifts, weights = np.zeros((1, len(deviations))), np.ones(1)
    if len(moved) in _NODES:
        rule = tensor_rule([gauss_normal(_NODES[len(moved)])] * len(moved))
        nodes, weights = np.asarray(rule.nodes).reshape(-1, len(moved)), np.asarray(rule.weights)
    elif len(moved):
        half = even_normals(draws // 2, len(moved), random_state)
        nodes = np.concatenate([half, -half])
        weights = np.full(len(nodes), 1.0 / len(nodes))
    if len(moved):
        shifts = np.zeros((len(nodes), len(deviations)))
        shifts[:, moved] = nodes * deviations[moved]
    return Perturbations(shifts, weights / np.sum(weights))


class PerturbedSurface(JointSurface):
    """The belief about the mean of the function over perturbed rows, where `base` believes in the function itself.

    It covers what is unknown about the function, not the error of the nodes: of functions drawn from a Matérn-5/2
    process that are perturbed by half a length-scale, nine nodes miss the mean by 1 % of the standard deviation of the
    function, and 25 in two columns by 2 %; by a whole length-scale, 5 and 10 %. With `clipped`, a perturbed column
    stops at 0 and at 1, as a setting that cannot leave its range does; without, the surface is asked beyond them, where
    it extrapolates. Other columns are not touched. O(n² k) a row.
    """

    base: Surface
    shifts: Float[Array, "k d"]
    weights: Float[Array, " k"]
    clipped: bool = eqx.field(static=True, default=False)

    def moments(self, X: Float[Array, "m d"]) -> tuple[Float[Array, "m s"], Float[Array, "m s"]]:
        rows = self.around(X)
        mean, variance = self.base.moments(rows.reshape(-1, X.shape[1]))
        each = variance.reshape(*rows.shape[:2], -1)
        covariance = jax.vmap(lambda some: covariances(self.base, some, some))(rows)
        spread = jnp.einsum("k,mckl,l->mc", self.weights, covariance, self.weights)
        # Where all nodes were measured without noise nothing is left but round-off.
        spread = jnp.maximum(spread, _ROUND_OFF * jnp.min(each, axis=1))
        middle = jnp.einsum("k,mks->ms", self.weights, mean.reshape(each.shape))
        return middle, jnp.broadcast_to(spread, middle.shape)

    def covariances(self, X: Float[Array, "m d"], Z: Float[Array, "j d"]) -> Float[Array, "c m j"]:
        ours, theirs = (self.around(rows).reshape(-1, rows.shape[1]) for rows in (X, Z))
        k = len(self.weights)
        blocks = covariances(self.base, ours, theirs).reshape(-1, X.shape[0], k, Z.shape[0], k)
        return jnp.einsum("k,cmkjl,l->cmj", self.weights, blocks, self.weights)

    def covariances_with_base(self, X: Float[Array, "m d"], Z: Float[Array, "j d"]) -> Float[Array, "c m j"]:
        """Of the function at rows X and its average around rows Z: what a measurement tells about the average."""
        around = self.around(Z).reshape(-1, Z.shape[1])
        blocks = covariances(self.base, X, around)
        return blocks.reshape(*blocks.shape[:2], Z.shape[0], -1) @ self.weights

    def around(self, X: Float[Array, "m d"]) -> Float[Array, "m k d"]:
        """The rows that each row may become."""
        rows = X[:, None, :] + self.shifts
        if not self.clipped:
            return rows
        return jnp.where(jnp.any(self.shifts != 0.0, axis=0), jnp.clip(rows, 0.0, 1.0), rows)
