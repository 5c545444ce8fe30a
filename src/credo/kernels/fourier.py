r"""Features whose inner products are a kernel: random waves for stationary kernels, exact ones for finite kernels.

$k(r) = k(0)\,\mathbb{E}\cos\omega^\top r$ with ω from the spectral measure (Rahimi and Recht 2007), and
$\cos\omega^\top(x - z) = \cos\omega^\top x\cos\omega^\top z + \sin\omega^\top x\sin\omega^\top z$: a pair of features
for each frequency, which has less variance than one cosine of random phase (Sutherland and Schneider 2015) and the
right norm always. A sum of kernels lays features side by side; a product adds phases, and multiplies with the features
of finite factors.
"""

import itertools
import math
from collections.abc import Callable
from functools import singledispatch
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError, UndefinedError
from credo.kernels.algebra import On, PolynomialOf, Warp
from credo.kernels.base import Kernel
from credo.kernels.dot import Linear, Polynomial
from credo.kernels.frequencies import frequencies_from, has_frequencies, uniforms_needed, variance_of
from credo.kernels.sobol import shifted_sobol
from credo.kernels.terms import Gate, Term, written_out
from credo.numerics.random import RandomState, as_key
from credo.numerics.scalar import safe_sqrt

__all__ = ["FourierFeatures", "exact_features", "fourier_features"]


def fourier_features(kernel: Kernel, count: int, d: int, *, random_state: RandomState = None) -> "FourierFeatures":
    r"""A map φ of points of d columns to at most `count` numbers, with $\mathbb{E}\,\phi(x)^\top\phi(z) = k(x, z)$.

    With w standard normal, $\phi(x)^\top w$ is a function drawn from the Gaussian process, which can be evaluated and
    differentiated anywhere: the prior of pathwise sampling (Wilson et al. 2020). Stationary kernels take a pair of
    waves for each frequency, and each term of a sum equally many; the error of the covariance falls as
    $1/\sqrt{\text{count}}$ or faster. `Linear`, `Polynomial` and constants are exact and take the features that they
    have. Sums, products, powers, `On`, `Warp` and `ChangePoint` of these have features too; others, `White` among them,
    raise `UndefinedError`. Shapes do not depend on the kernel's parameters, so that new parameters compile nothing.
    Costs O(n d count) for n points.

    >>> from credo.kernels import RBF
    >>> phi = fourier_features(RBF(), 256, 1, random_state=0)
    >>> features = phi([[0.0], [1.0]])
    >>> features.shape, f"{features[0] @ features[1]:.2f}", f"{RBF().of([0.0], [1.0]):.2f}"
    ((2, 256), '0.61', '0.61')
    """
    kernel.require_columns(d, "fourier_features")
    return _built(kernel, as_key(random_state), _shares(kernel, count, d), d)


class FourierFeatures(eqx.Module):
    """The map that [](#credo.kernels.fourier_features) returns: call it on rows, `(n, d)` to `(n, count)`."""

    terms: "tuple[FeatureTerm, ...]"
    d: int = eqx.field(static=True)

    @property
    def count(self) -> int:
        """The number of features."""
        rows = jax.ShapeDtypeStruct((1, self.d), jnp.float64)
        return eqx.filter_eval_shape(_evaluated, self, rows).shape[1]

    def __call__(self, X: Any) -> Float[Array, "n count"]:
        X = jnp.asarray(X, dtype=jnp.float64)
        if X.ndim != 2 or X.shape[1] != self.d:
            raise InputError(
                "FourierFeatures", f"X has shape {X.shape}", f"The features are of rows with {self.d} columns", ""
            )
        return _evaluated(self, X)


@eqx.filter_jit
def _evaluated(features: FourierFeatures, X: Array) -> Array:
    return jnp.concatenate([term(X) for term in features.terms], axis=1)


class Waves(eqx.Module):
    """Phases ωᵀv(x) of m frequencies, where v shows the kernel the columns, or the image, that it looks at."""

    frequencies: Float[Array, "m e"]
    views: tuple[Callable[[Array], Array], ...]

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, "n m"]:
        for view in self.views:
            X = view(X)
        return X @ self.frequencies.T


class FeatureTerm(eqx.Module):
    """Of one product of kernels: its finite factors, and the waves of the others, whose phases add up."""

    amplitude: Float[Array, ""]
    finite: tuple[Kernel, ...]
    waves: tuple[Waves, ...]

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, "n f"]:
        features = jnp.broadcast_to(self.amplitude, (X.shape[0], 1))
        for kernel in self.finite:
            features = _pairwise(features, exact_features(kernel, X))
        if self.waves:
            phase = sum(waves(X) for waves in self.waves)
            features = _pairwise(features, jnp.concatenate([jnp.cos(phase), jnp.sin(phase)], axis=1))
        return features


def _pairwise(left: Float[Array, "n a"], right: Float[Array, "n b"]) -> Float[Array, "n a*b"]:
    """All products of a feature of the left and one of the right: the features of the product of two kernels."""
    return (left[:, :, None] * right[:, None, :]).reshape(left.shape[0], left.shape[1] * right.shape[1])


@singledispatch
def exact_features(kernel: Kernel, X: Float[Array, "n d"]) -> Float[Array, "n f"]:
    """Finitely many features with φ(x)ᵀφ(z) = k(x, z), for kernels that have them."""
    raise NotImplementedError(f"{type(kernel).__name__} is taken for finite, and must be registered here")


@exact_features.register
def _(kernel: Linear, X: Float[Array, "n d"]) -> Float[Array, "n f"]:
    return jnp.sqrt(kernel.variance) * (X - kernel.center)


@exact_features.register
def _(kernel: Polynomial, X: Float[Array, "n d"]) -> Float[Array, "n f"]:
    """The monomials of degree p in the columns and the offset, each with the root of its multinomial coefficient."""
    offset = jnp.broadcast_to(jnp.sqrt(kernel.offset), (X.shape[0], 1))
    extended = jnp.concatenate([jnp.sqrt(kernel.variance) * X, offset], axis=1)
    chosen = np.array(list(itertools.combinations_with_replacement(range(extended.shape[1]), kernel.degree)))
    repeats = [[math.factorial(int(np.sum(row == column))) for column in range(extended.shape[1])] for row in chosen]
    multinomial = math.factorial(kernel.degree) / np.prod(repeats, axis=1)
    return np.sqrt(multinomial) * jnp.prod(extended[:, chosen], axis=2)


@exact_features.register
def _(kernel: Gate, X: Float[Array, "n d"]) -> Float[Array, "n f"]:
    return kernel.opening(X)


@exact_features.register
def _(kernel: On, X: Float[Array, "n d"]) -> Float[Array, "n f"]:
    return exact_features(kernel.kernel, kernel.chosen(X))


@exact_features.register
def _(kernel: Warp, X: Float[Array, "n d"]) -> Float[Array, "n f"]:
    return exact_features(kernel.kernel, _Image(kernel.u)(X))


class _Columns(eqx.Module):
    columns: tuple[int, ...] = eqx.field(static=True)

    def __call__(self, X: Array) -> Array:
        return X[:, jnp.asarray(self.columns)]


class _Image(eqx.Module):
    u: Callable[[Array], Array]

    def __call__(self, X: Array) -> Array:
        return jax.vmap(self.u)(X)


def _uncovered(kernel: Kernel) -> tuple[Kernel, tuple[Callable[[Array], Array], ...]]:
    """The kernel under `On` and `Warp`, and what they show it."""
    views: list[Callable[[Array], Array]] = []
    while isinstance(kernel, (On, Warp)):
        views.append(_Columns(kernel.columns) if isinstance(kernel, On) else _Image(kernel.u))
        kernel = kernel.kernel
    return kernel, tuple(views)


def _is_finite(kernel: Kernel) -> bool:
    return exact_features.dispatch(type(_uncovered(kernel)[0])) is not exact_features.dispatch(object)


def _terms(kernel: Kernel) -> tuple[Term, ...]:
    """A power of a stationary kernel stays one: its frequencies are a mixture, and no term has weight zero."""
    return written_out(kernel, lambda part: isinstance(part, PolynomialOf) and has_frequencies(part))


def _shares(kernel: Kernel, count: int, d: int) -> tuple[int, ...]:
    """How many frequencies each term gets: none where it is finite, else such that all have equally many features."""
    terms = _terms(kernel)
    for term in terms:
        _require_features(kernel, term)
    sizes = [_finite_size(term, d) for term in terms]
    is_finite = [all(map(_is_finite, term.factors)) for term in terms]
    fixed = sum(itertools.compress(sizes, is_finite))
    pairs = [2 * size for size, finite in zip(sizes, is_finite, strict=True) if not finite]
    least = fixed + len(pairs) * max(pairs, default=0)
    if count < least:
        raise InputError(
            "fourier_features",
            f"count={count} is too few for {kernel}",
            "Finite kernels take the features they have, and every other term a pair at least",
            f"Try count={least} or more; some hundreds are usual",
        )
    share = (count - fixed) // max(1, len(pairs))
    return tuple(0 if finite else share // (2 * size) for size, finite in zip(sizes, is_finite, strict=True))


def _finite_size(term: Term, d: int) -> int:
    """The number of features of the finite factors together."""
    finite = tuple(factor for factor in term.factors if _is_finite(factor))
    rows = jax.ShapeDtypeStruct((1, d), jnp.float64)
    return eqx.filter_eval_shape(FeatureTerm(jnp.ones(()), finite, ()), rows).shape[1]


def _require_features(kernel: Kernel, term: Term) -> None:
    for factor in term.factors:
        if not (_is_finite(factor) or has_frequencies(_uncovered(factor)[0])):
            raise UndefinedError(
                "fourier_features",
                f"{factor} in {kernel} has neither a spectral measure nor finitely many features",
                "Functions drawn from it are known at given points only",
                "Try sample(X, n) of a Gaussian process, which is exact at the points X",
            )


@eqx.filter_jit
def _built(kernel: Kernel, key: Array, shares: tuple[int, ...], d: int) -> FourierFeatures:
    terms = _terms(kernel)
    keys = jax.random.split(key, len(terms))
    drawn = [_drawn(term, keys[i], share, d) for i, (term, share) in enumerate(zip(terms, shares, strict=True))]
    return FourierFeatures(tuple(drawn), d)


def _drawn(term: Term, key: Array, pairs: int, d: int) -> FeatureTerm:
    """The factors with waves share one set of uniform numbers, so that their frequencies are independent."""
    finite = tuple(factor for factor in term.factors if _is_finite(factor))
    stationary = [_uncovered(factor) for factor in term.factors if not _is_finite(factor)]
    if not stationary:
        return FeatureTerm(safe_sqrt(term.scale), finite, ())
    seen = [_columns_seen(views, d) for _, views in stationary]
    needed = [uniforms_needed(kernel, e) for (kernel, _), e in zip(stationary, seen, strict=True)]
    uniforms = shifted_sobol(key, pairs, max(1, sum(needed)))
    waves, variance = [], term.scale
    for (kernel, views), e, start in zip(stationary, seen, np.cumsum([0, *needed]), strict=False):
        waves.append(Waves(frequencies_from(kernel, uniforms[:, start:], e), views))
        variance = variance * variance_of(kernel, e)
    return FeatureTerm(safe_sqrt(variance / pairs), finite, tuple(waves))


def _columns_seen(views: tuple[Callable[[Array], Array], ...], d: int) -> int:
    rows = jax.ShapeDtypeStruct((1, d), jnp.float64)
    for view in views:
        rows = eqx.filter_eval_shape(view, rows)
    return rows.shape[1]
