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
from credo.kernels.tails import Tail, stretch, tails
from credo.kernels.terms import Gate, Term, written_out
from credo.numerics.random import RandomState, as_key
from credo.numerics.scalar import safe_sqrt
from credo.numerics.sincos import cosine_and_sine

__all__ = ["FourierFeatures", "exact_features", "fourier_features", "stacked_features"]

_LEAST = 16  # frequencies of each term of stacked features, where finite factors multiply them


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


def stacked_features(
    kernel: Kernel, maps: int, count: int, d: int, *, random_state: RandomState = None
) -> "FourierFeatures":
    r"""Independent maps $\phi_1, …, \phi_s$ in one: every array has a leading axis of length `maps`.

    Each map has frequencies of its own, so that an average over the maps has the error of all of them together:
    $\frac1s\sum_i\phi_i(x)^\top\phi_i(z)$ tends to k(x, z) with s for any `count`. Half of the frequencies are high,
    with smaller weights (`credo.kernels.tails`), because differences of the kernel at close points depend on these.
    Each term of a sum has about `count` features unless it is finite, and 16 frequencies at least. Raises
    `UndefinedError` as `fourier_features` does.
    """
    kernel.require_columns(d, "stacked_features")
    sizes = _wave_sizes(kernel, d)
    shares = tuple(0 if size is None else max(_LEAST, count // (2 * size)) for size in sizes)
    return _stacked(kernel, jax.random.split(as_key(random_state), maps), shares, d)


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

    def weigh(self, X: Float[Array, "n d"], weights: Float[Array, " count"]) -> Float[Array, " n"]:
        """φ(x)ᵀw at each row, for use inside jit; unlike ``self(X) @ w`` it keeps no array of all features."""
        total, start = jnp.zeros(X.shape[0]), 0
        for term in self.terms:
            count = eqx.filter_eval_shape(term, X[:1]).shape[1]
            total = total + term.weigh(X, weights[start : start + count])
            start += count
        return total


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

    amplitude: Float[Array, "..."]  # one number, or one per frequency
    finite: tuple[Kernel, ...]
    waves: tuple[Waves, ...]

    def __call__(self, X: Float[Array, "n d"]) -> Float[Array, "n f"]:
        if not self.waves:
            return self.amplitude * self._finite(X)
        phase = self._phase(X)
        waves = jnp.concatenate([self.amplitude * jnp.cos(phase), self.amplitude * jnp.sin(phase)], axis=1)
        return _pairwise(self._finite(X), waves)

    def weigh(self, X: Float[Array, "n d"], weights: Float[Array, " f"]) -> Float[Array, " n"]:
        """The features times weights, summed as they are made."""
        if not self.waves:
            return self(X) @ weights
        finite, (cosine, sine) = self._finite(X), cosine_and_sine(self._phase(X)[:, None, :])
        of_cosine, of_sine = jnp.moveaxis(weights.reshape(finite.shape[1], 2, -1) * self.amplitude, 1, 0)
        return jnp.sum(finite * jnp.sum(of_cosine * cosine + of_sine * sine, axis=2), axis=1)

    def _finite(self, X: Float[Array, "n d"]) -> Float[Array, "n f"]:
        features = jnp.ones((X.shape[0], 1))
        for kernel in self.finite:
            features = _pairwise(features, exact_features(kernel, X))
        return features

    def _phase(self, X: Float[Array, "n d"]) -> Float[Array, "n m"]:
        return sum(waves(X) for waves in self.waves)  # type: ignore[return-value]


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


def _wave_sizes(kernel: Kernel, d: int) -> tuple[int | None, ...]:
    """The number of finite features that multiply a wave, for each term; None where the term is finite."""
    terms = _terms(kernel)
    for term in terms:
        _require_features(kernel, term)
    return tuple(None if all(map(_is_finite, term.factors)) else _finite_size(term, d) for term in terms)


def _shares(kernel: Kernel, count: int, d: int) -> tuple[int, ...]:
    """How many frequencies each term gets: none where it is finite, else such that all have equally many features."""
    sizes = _wave_sizes(kernel, d)
    terms = zip(_terms(kernel), sizes, strict=True)
    fixed = sum(_finite_size(term, d) for term, size in terms if size is None)
    pairs = [2 * size for size in sizes if size is not None]
    least = fixed + len(pairs) * max(pairs, default=0)
    if count < least:
        raise InputError(
            "fourier_features",
            f"count={count} is too few for {kernel}",
            "Finite kernels take the features they have, and every other term a pair at least",
            f"Try count={least} or more; some hundreds are usual",
        )
    share = (count - fixed) // max(1, len(pairs))
    return tuple(0 if size is None else share // (2 * size) for size in sizes)


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
    return _drawn(kernel, key, shares, d, stretched=False)


@eqx.filter_jit
def _stacked(kernel: Kernel, keys: Array, shares: tuple[int, ...], d: int) -> FourierFeatures:
    return eqx.filter_vmap(lambda key: _drawn(kernel, key, shares, d, stretched=True))(keys)


def _drawn(kernel: Kernel, key: Array, shares: tuple[int, ...], d: int, *, stretched: bool) -> FourierFeatures:
    terms = _terms(kernel)
    keys = jax.random.split(key, len(terms))
    drawn = [_drawn_term(term, keys[i], shares[i], d, stretched) for i, term in enumerate(terms)]
    return FourierFeatures(tuple(drawn), d)


def _drawn_term(term: Term, key: Array, pairs: int, d: int, stretched: bool) -> FeatureTerm:
    """The factors with waves share one set of uniform numbers, so that their frequencies are independent."""
    finite = tuple(factor for factor in term.factors if _is_finite(factor))
    stationary = [_uncovered(factor) for factor in term.factors if not _is_finite(factor)]
    if not stationary:
        return FeatureTerm(safe_sqrt(term.scale), finite, ())
    seen = [_columns_seen(views, d) for _, views in stationary]
    needed = [uniforms_needed(kernel, e) for (kernel, _), e in zip(stationary, seen, strict=True)]
    starts = [int(start) for start in np.cumsum([0, *needed])]
    uniforms, weights = shifted_sobol(key, pairs, max(1, starts[-1]) + int(stretched)), jnp.ones(())
    if stretched:
        factors = zip(stationary, seen, starts, strict=False)
        ends = [Tail(start + i, up) for (kernel, _), e, start in factors for i, up in tails(kernel, e)]
        uniforms, weights = stretch(uniforms[:, :-1], uniforms[:, -1], tuple(ends))
    waves, variance = [], term.scale
    for (kernel, views), e, start in zip(stationary, seen, starts, strict=False):
        waves.append(Waves(frequencies_from(kernel, uniforms[:, start:], e), views))
        variance = variance * variance_of(kernel, e)
    return FeatureTerm(safe_sqrt(weights * variance / pairs), finite, tuple(waves))


def _columns_seen(views: tuple[Callable[[Array], Array], ...], d: int) -> int:
    rows = jax.ShapeDtypeStruct((1, d), jnp.float64)
    for view in views:
        rows = eqx.filter_eval_shape(view, rows)
    return rows.shape[1]
