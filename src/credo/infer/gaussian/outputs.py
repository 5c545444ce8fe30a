"""Several outputs of the same inputs: each on its own, or as combinations of functions that they share."""

from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import NumericalError
from credo.infer.gaussian.posterior import GPPosterior, cross_covariance, definite, padded
from credo.kernels import Coregionalization, On, Product
from credo.numerics.rows import map_rows

__all__ = ["OutputsPosterior", "SeparateOutputs", "SharedOutputs", "mixing_start", "stacked"]

_OWN = 0.1  # of the variance of an output: the least that a start leaves to itself


def stacked(X: Float[Array, "n d"], count: int) -> Float[Array, "rows columns"]:
    """Each row once for every output, with the number of the output behind it."""
    numbers = jnp.tile(jnp.arange(count, dtype=jnp.float64), X.shape[0])
    return jnp.concatenate([jnp.repeat(X, count, axis=0), numbers[:, None]], axis=1)


class OutputsPosterior(eqx.Module):
    """The belief about several functions after the data."""

    @abstractmethod
    def moments(self, X: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, "n p p"]]:
        """Mean and covariance of all functions at each row of X."""

    @abstractmethod
    def noise(self, X: Float[Array, "n d"]) -> Float[Array, "n p"]:
        """The variance of a measurement of each output at each row of X."""

    @abstractmethod
    def draws(self, X: Float[Array, "n d"], n: int, key: Array) -> Float[Array, "draws n p"]:
        """Of all functions at all rows of X together."""

    @property
    @abstractmethod
    def posteriors(self) -> tuple[GPPosterior, ...]:
        """The independent processes that this is made of."""

    @property
    @abstractmethod
    def correlation(self) -> Float[np.ndarray, "p p"]:
        """Of the functions with each other, at one input and before the data."""


class SeparateOutputs(OutputsPosterior):
    """Every output has a process of its own and learns nothing from the others."""

    each: tuple[GPPosterior, ...]

    def moments(self, X: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, "n p p"]]:
        beliefs = [posterior.predict(X) for posterior in self.each]
        variance = jnp.stack([belief.variance for belief in beliefs], axis=1)
        return jnp.stack([belief.loc for belief in beliefs], axis=1), variance[:, :, None] * jnp.eye(len(self.each))

    def noise(self, X: Float[Array, "n d"]) -> Float[Array, "n p"]:
        return jnp.stack([posterior.noise(X) for posterior in self.each], axis=1)

    def draws(self, X: Float[Array, "n d"], n: int, key: Array) -> Float[Array, "draws n p"]:
        keys = jax.random.split(key, len(self.each))
        return jnp.stack([p.joint(X).sample(n, k) for p, k in zip(self.each, keys, strict=True)], axis=-1)

    @property
    def posteriors(self) -> tuple[GPPosterior, ...]:
        return self.each

    @property
    def correlation(self) -> Float[np.ndarray, "p p"]:
        return np.eye(len(self.each))


class SharedOutputs(OutputsPosterior):
    """One process over pairs of an input and the number of an output, with the covariance of `outputs` among these.

    Its kernel is a product in which one factor is ``On(Coregionalization(...), ...)``.
    """

    joint: GPPosterior

    @property
    def outputs(self) -> Coregionalization:
        """The factor of the kernel that is the covariance of the outputs."""
        kernel = self.joint.process.kernel
        assert isinstance(kernel, Product)
        (found,) = (f.kernel for f in kernel.factors if isinstance(f, On) and isinstance(f.kernel, Coregionalization))
        return found

    def moments(self, X: Float[Array, "n d"]) -> tuple[Float[Array, "n p"], Float[Array, "n p p"]]:
        mean, covariance, failed = _moments(padded(self.joint), X, self.outputs.own.size)
        if bool(jnp.any(failed)):
            raise NumericalError(
                "SharedOutputs",
                "the covariance of the outputs at a row is not positive definite, and jitter did not help",
                "The process all but repeats itself with almost no noise",
                "Try a larger noise_variance",
            )
        return mean, covariance

    def noise(self, X: Float[Array, "n d"]) -> Float[Array, "n p"]:
        count = self.outputs.own.size
        return self.joint.noise(stacked(X, count)).reshape(-1, count)

    def draws(self, X: Float[Array, "n d"], n: int, key: Array) -> Float[Array, "draws n p"]:
        count = self.outputs.own.size
        return self.joint.joint(stacked(X, count)).sample(n, key).reshape(n, -1, count)

    @property
    def posteriors(self) -> tuple[GPPosterior, ...]:
        return (self.joint,)

    @property
    def correlation(self) -> Float[np.ndarray, "p p"]:
        covariance = np.asarray(self.outputs.matrix)
        spread = np.sqrt(np.diagonal(covariance))
        return covariance / np.outer(spread, spread)


@eqx.filter_jit
def _moments(posterior: GPPosterior, X: Array, count: int) -> tuple[Array, Array, Array]:
    def block(rows: Array) -> tuple[Array, Array, Array]:
        points = stacked(rows, count)
        cross = cross_covariance(posterior, points)
        half = posterior.factor.half_solve(cross.T).reshape(-1, rows.shape[0], count)
        prior = jax.vmap(posterior.process.kernel.gram)(points.reshape(rows.shape[0], count, -1))
        covariance, failed = jax.vmap(definite)(prior - jnp.einsum("nri,nrj->rij", half, half), prior)
        mean = posterior.process.mean(points) + cross @ posterior.alpha
        return mean.reshape(-1, count), covariance, failed

    return map_rows(block, X, cost=count * posterior.alpha.shape[0])


def mixing_start(Y: Float[np.ndarray, "n p"], w: Float[np.ndarray, " n"], rank: int) -> Coregionalization:
    """Outputs in standard units that share what their correlations say: the first `rank` principal components."""
    centered = Y - np.average(Y, axis=0, weights=w)
    covariance = (centered * w[:, None]).T @ centered / np.sum(w)
    values, vectors = np.linalg.eigh(covariance)
    first = np.argsort(values)[::-1][:rank]
    mixing = vectors[:, first] * np.sqrt(np.maximum(values[first], _OWN))
    own = np.maximum(np.diagonal(covariance) - np.sum(mixing**2, axis=1), _OWN)
    return Coregionalization(mixing, own)
