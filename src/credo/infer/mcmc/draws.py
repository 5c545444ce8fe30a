"""Draws of several Markov chains: what every sampler returns and every diagnostic reads."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import ArrayLike, Float

from credo.beliefs import Empirical
from credo.errors import InputError

__all__ = ["Draws"]


def _as_float(x: ArrayLike) -> Array:
    return jnp.asarray(x, dtype=jnp.float64)


class Draws(eqx.Module):
    """Correlated draws of a vector of p coordinates, chain by chain, in the order in which they were made.

    `log_density` is that of the target at each draw, up to the constant that the sampler was given it with. `names`
    label the coordinates; without them a coordinate is called by its index.

    >>> draws = Draws(np.arange(12.0).reshape(2, 3, 2), np.zeros((2, 3)))
    >>> draws.flat.shape, draws.mean.tolist()
    ((6, 2), [5.0, 6.0])
    """

    values: Float[Array, "chains draws p"] = eqx.field(converter=_as_float)
    log_density: Float[Array, "chains draws"] = eqx.field(converter=_as_float)
    names: tuple[str, ...] | None = eqx.field(default=None, static=True)

    def __check_init__(self) -> None:
        values, densities = self.values.shape, self.log_density.shape
        if len(values) != 3 or 0 in values or densities != values[:2]:
            raise InputError(
                "Draws",
                f"values have shape {values}, log_density {densities}",
                "An axis of chains or of draws is missing or empty",
                "Pass shapes (chains, draws, p) and (chains, draws)",
            )
        if self.names is not None and len(self.names) != values[2]:
            raise InputError(
                "Draws",
                f"there are {len(self.names)} names for {values[2]} coordinates",
                "The names of another model were probably passed",
                "Pass one name a coordinate",
            )

    @property
    def n_chains(self) -> int:
        """The number of chains."""
        return self.values.shape[0]

    @property
    def n_draws(self) -> int:
        """The number of draws in each chain."""
        return self.values.shape[1]

    @property
    def flat(self) -> Float[Array, "n p"]:
        """All draws as the rows of one matrix, chain after chain."""
        return self.values.reshape(-1, self.values.shape[2])

    @property
    def mean(self) -> Float[Array, " p"]:
        """The mean of each coordinate over all draws."""
        return jnp.mean(self.flat, axis=0)

    @property
    def std(self) -> Float[Array, " p"]:
        """The standard deviation of each coordinate over all draws, with n − 1 degrees of freedom."""
        return jnp.std(self.flat, axis=0, ddof=1)

    def label(self, coordinate: int) -> str:
        """What a coordinate is called: its name, or its index."""
        return str(coordinate) if self.names is None else self.names[coordinate]

    def thin(self, count: int) -> Float[Array, "count p"]:
        """`count` draws, evenly spread over all chains and their lengths: the nodes of a mixture over the posterior.

        >>> Draws(np.arange(8.0).reshape(2, 4, 1), np.zeros((2, 4))).thin(4).ravel().tolist()
        [1.0, 3.0, 5.0, 7.0]
        """
        total = self.n_chains * self.n_draws
        if not 1 <= count <= total:
            raise InputError(
                "Draws", f"{count} of {total} draws were asked for", "", f"Ask for 1 to {total}, or sample more"
            )
        # The middle of each of `count` stretches of equal length.
        return self.flat[np.floor((np.arange(count) + 0.5) * total / count).astype(int)]

    def belief(self) -> Empirical:
        """The draws as a belief about the vector, each with the same weight."""
        return Empirical(self.flat, event_ndim=1)
