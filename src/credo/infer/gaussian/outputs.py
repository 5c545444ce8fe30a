"""Several outputs of the same inputs: each on its own, or as combinations of functions that they share."""

from abc import abstractmethod
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import NumericalError
from credo.infer.gaussian.averaged import AveragedMoments, AveragedPosterior, over_members
from credo.infer.gaussian.posterior import GPPosterior, cross_covariance, definite, padded
from credo.kernels import Coregionalization, On, Product
from credo.numerics.rows import map_rows
from credo.numerics.threads import blas_threads_for

__all__ = ["OutputMoments", "OutputsPosterior", "SeparateOutputs", "SharedOutputs", "mixing_start", "stacked"]

_OWN = 0.1  # of the variance of an output: the least that a start leaves to itself


def stacked(X: Float[Array, "n d"], count: int) -> Float[Array, "rows columns"]:
    """Each row once for every output, with the number of the output behind it."""
    numbers = jnp.tile(jnp.arange(count, dtype=jnp.float64), X.shape[0])
    return jnp.concatenate([jnp.repeat(X, count, axis=0), numbers[:, None]], axis=1)


class OutputMoments(NamedTuple):
    """At each row: mean and covariance of the functions, the noise of each output, and the error of its mean, squared.

    That error is of an average over finitely many draws of the parameters, and zero where there is one set of them.
    """

    mean: Float[Array, "n p"]
    covariance: Float[Array, "n p p"]
    noise: Float[Array, "n p"]
    computation: Float[Array, "n p"]


class OutputsPosterior(eqx.Module):
    """The belief about several functions after the data, at the best parameters or averaged over them."""

    @abstractmethod
    def moments(self, X: Float[Array, "n d"]) -> OutputMoments:
        """Those of all functions at each row of X; where parameters are averaged over, with their part."""

    @abstractmethod
    def noise(self, X: Float[Array, "n d"]) -> Float[Array, "n p"]:
        """The variance of a measurement of each output at each row of X, at the best parameters."""

    @abstractmethod
    def draws(self, X: Float[Array, "n d"], n: int, key: Array) -> Float[Array, "draws n p"]:
        """Of all functions at all rows of X together."""

    @property
    @abstractmethod
    def posteriors(self) -> tuple[GPPosterior, ...]:
        """The independent processes that this is made of, at the best parameters."""

    @property
    @abstractmethod
    def correlation(self) -> Float[np.ndarray, "p p"]:
        """Of the functions with each other, at one input and before the data."""


class SeparateOutputs(OutputsPosterior):
    """Every output has a process of its own and learns nothing from the others."""

    each: tuple[GPPosterior, ...]
    averages: tuple[AveragedPosterior | None, ...]

    def moments(self, X: Float[Array, "n d"]) -> OutputMoments:
        parts = [_of_output(*output, X) for output in zip(self.each, self.averages, strict=True)]
        mean, variance, noise, computation = (jnp.stack(part, axis=1) for part in zip(*parts, strict=True))
        return OutputMoments(mean, variance[:, :, None] * jnp.eye(len(self.each)), noise, computation)

    def noise(self, X: Float[Array, "n d"]) -> Float[Array, "n p"]:
        return jnp.stack([posterior.noise(X) for posterior in self.each], axis=1)

    def draws(self, X: Float[Array, "n d"], n: int, key: Array) -> Float[Array, "draws n p"]:
        outputs = zip(self.each, self.averages, jax.random.split(key, len(self.each)), strict=True)
        return jnp.stack([_drawn(best, average, X, n, own) for best, average, own in outputs], axis=-1)

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
    average: AveragedPosterior | None

    @property
    def outputs(self) -> Coregionalization:
        """The factor of the kernel that is the covariance of the outputs."""
        kernel = self.joint.process.kernel
        assert isinstance(kernel, Product)
        (found,) = (f.kernel for f in kernel.factors if isinstance(f, On) and isinstance(f.kernel, Coregionalization))
        return found

    def moments(self, X: Float[Array, "n d"]) -> OutputMoments:
        count = self.outputs.own.size
        if self.average is None:
            mean, covariance, failed = _moments(padded(self.joint), X, count)
            found = OutputMoments(mean, covariance, self.noise(X), jnp.zeros_like(mean))
        else:
            with blas_threads_for(self.average.members.alpha.shape[1]):
                found, failed = jax.block_until_ready(_averaged(self.average, X, count))
        if bool(jnp.any(failed)):
            raise NumericalError(
                "SharedOutputs",
                "the covariance of the outputs at a row is not positive definite, and jitter did not help",
                "The process all but repeats itself with almost no noise",
                "Try a larger noise_variance",
            )
        return found

    def noise(self, X: Float[Array, "n d"]) -> Float[Array, "n p"]:
        count = self.outputs.own.size
        return self.joint.noise(stacked(X, count)).reshape(-1, count)

    def draws(self, X: Float[Array, "n d"], n: int, key: Array) -> Float[Array, "draws n p"]:
        count = self.outputs.own.size
        return _drawn(self.joint, self.average, stacked(X, count), n, key).reshape(n, -1, count)

    @property
    def posteriors(self) -> tuple[GPPosterior, ...]:
        return (self.joint,)

    @property
    def correlation(self) -> Float[np.ndarray, "p p"]:
        covariance = np.asarray(self.outputs.matrix)
        spread = np.sqrt(np.diagonal(covariance))
        return covariance / np.outer(spread, spread)


def _of_output(best: GPPosterior, average: AveragedPosterior | None, X: Array) -> AveragedMoments:
    if average is not None:
        return average.moments(X)
    belief = best.predict(X)
    return AveragedMoments(belief.loc, belief.variance, best.noise(X), jnp.zeros_like(belief.loc))


def _drawn(best: GPPosterior, average: AveragedPosterior | None, X: Array, n: int, key: Array) -> Array:
    return best.joint(X).sample(n, key) if average is None else jnp.asarray(average.sample(X, n, key))


@eqx.filter_jit
def _moments(posterior: GPPosterior, X: Array, count: int) -> tuple[Array, Array, Array]:
    return _of_rows(posterior, X, count)


@eqx.filter_jit
def _averaged(average: AveragedPosterior, X: Array, count: int) -> tuple[OutputMoments, Array]:
    def of_member(member: GPPosterior) -> tuple[Array, Array, Array, Array]:
        return *_of_rows(member, X, count), member.process.noise.variance(stacked(X, count)).reshape(-1, count)

    means, covariances, failed, noises = over_members(of_member, average.members)
    mean, within, noise = (jnp.tensordot(average.weights, part, axes=1) for part in (means, covariances, noises))
    away = means - mean
    between = jnp.einsum("s,sni,snj->nij", average.weights, away, away)
    computation = jnp.diagonal(between, axis1=-2, axis2=-1) / average.effective
    return OutputMoments(mean, within + between, noise, computation), failed


def _of_rows(posterior: GPPosterior, X: Array, count: int) -> tuple[Array, Array, Array]:
    """Mean and covariance of the functions at each row, and where factorizing it failed. For use inside jit."""

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
