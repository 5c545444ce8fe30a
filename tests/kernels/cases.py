"""The registry of kernels: every law in `test_laws.py` runs on every case here."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from credo.kernels import (
    RBF,
    ArcCosine,
    Brownian,
    ChangePoint,
    Constant,
    Coregionalization,
    Cosine,
    Diffusion,
    Expected,
    Hamming,
    Kernel,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    On,
    Periodic,
    Polynomial,
    PolynomialOf,
    RationalQuadratic,
    Sigmoid,
    SpectralMixture,
    Spectrum,
    Warp,
    White,
)
from credo.numerics import Fixed, Real, Trainable

Points = Callable[[np.random.Generator, int], np.ndarray]


def numbers(columns):
    return lambda rng, n: rng.normal(size=(n, columns))


PLANE = numbers(2)


def codes(rng, n):
    return rng.integers(0, 3, size=(n, 2)).astype(float)


def nodes(rng, n):
    return rng.integers(0, 6, size=(n, 1)).astype(float)


def outputs(rng, n):
    return rng.integers(0, 3, size=(n, 1)).astype(float)


def strings(rng, n):
    """Of 0 to 8 letters out of three, filled up with -1."""
    letters = rng.integers(0, 3, size=(n, 8))
    return np.where(np.arange(8) < rng.integers(0, 9, size=(n, 1)), letters, -1).astype(float)


def gaussians(columns):
    """Means, then variances."""
    return lambda rng, n: np.hstack([rng.normal(size=(n, columns)), rng.uniform(0.1, 1.0, size=(n, columns))])


def noisy_number_exact_code(rng, n):
    """A number with a variance and a code without: means, then variances."""
    number, code = rng.normal(size=(n, 1)), rng.integers(0, 3, size=(n, 1))
    return np.hstack([number, code, rng.uniform(0.1, 1.0, size=(n, 1)), np.zeros((n, 1))])


@dataclass(frozen=True, eq=False)
class Case:
    """One kernel with points that it is defined on, and what cannot be asked of it.

    `smoothness` is how many derivatives in x the limits exist of where points coincide: 2, or 0 with derivatives
    elsewhere, or None for points that are names.
    """

    name: str
    kernel: Kernel
    points: Points = PLANE
    smoothness: int | None = 2
    wrong_columns: int | None = None  # a number of columns that is refused, where there is one
    evaluates_back: bool = True  # whether the text of the kernel is an expression that makes it
    saved: bool = True
    variant: bool = False  # of another case: what takes long to compile is asked in the slow suite

    def __str__(self) -> str:
        return self.name


def circle(n):
    """The Laplacian of n nodes in a ring with one chord."""
    adjacency = np.roll(np.eye(n), 1, axis=0) + np.roll(np.eye(n), -1, axis=0)
    adjacency[0, n // 2] = adjacency[n // 2, 0] = 0.5
    return np.diag(adjacency.sum(axis=0)) - adjacency


def made_quietly(kernel, *arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kernel(*arguments, **settings)


def squashed(row):
    return jnp.tanh(row) + 0.5 * row


NETWORK = Trainable(eqx.nn.MLP(2, 2, 3, 1, activation=jnp.tanh, key=jax.random.key(1)))
MIXTURE = SpectralMixture(
    weights=[0.5, 1.0, 0.3],
    means=[[0.1, -0.2], [0.3, 0.0], [-0.2, 0.2]],
    scales=[[0.2, 0.1], [0.1, 0.3], [0.25, 0.15]],
)

CASES = [
    Case("RBF", RBF(0.5, 1.5), variant=True),
    Case("RBF, a length-scale a column", RBF(2.0, [0.5, 1.5]), wrong_columns=3),
    Case("RBF, held in part", RBF(Fixed(2.0), 0.75), variant=True),
    Case("Matern12", Matern12(1.5, [0.8, 2.0]), smoothness=0, wrong_columns=1),
    Case("Matern32", Matern32(1.5, [0.8, 2.0]), wrong_columns=3),
    Case("Matern52", Matern52(1.5, 0.7)),
    Case("RationalQuadratic", RationalQuadratic(1.5, [0.8, 2.0], alpha=0.7), wrong_columns=3),
    Case("Constant", Constant(0.3)),
    Case("Constant, held", Constant(Fixed(0.3)) * Constant(0.5), variant=True),
    Case("White", White(0.3), points=codes, smoothness=None),
    Case("Linear", Linear(0.5), variant=True),
    Case("Linear, around a center", Linear([0.5, 1.5], Real([0.3, -0.2])), wrong_columns=3),
    Case("Polynomial", Polynomial(3, 0.4, 0.7)),
    Case("Polynomial, a variance a column", Polynomial(2, [0.4, 0.6], 0.7), wrong_columns=1, variant=True),
    Case("Periodic", Periodic(1.5, [0.8, 1.2], [2.0, 3.0]), wrong_columns=3),
    Case("Cosine", Cosine(0.5, [2.0, 3.0]), wrong_columns=1),
    Case("SpectralMixture", MIXTURE, wrong_columns=3),
    Case("ArcCosine, order 0", ArcCosine(0, 0.5, [0.6, 1.2], 0.7), smoothness=0, wrong_columns=3),
    Case("ArcCosine, order 1", ArcCosine(1, 0.5, [0.6, 1.2], 0.7), wrong_columns=3),
    Case("ArcCosine, order 2", ArcCosine(2, 0.5, 0.6, 0.7)),
    Case("Brownian", Brownian(0.7), points=numbers(1), smoothness=0, wrong_columns=2),
    Case("ChangePoint", ChangePoint(RBF(0.5, 0.8), Matern52(), 0.2, 3.0, column=1), wrong_columns=1),
    Case("Hamming", Hamming(0.8, [0.7, 1.5]), points=codes, smoothness=None, wrong_columns=3),
    Case(
        "Diffusion",
        Diffusion(circle(6), 0.8, 0.6),
        points=nodes,
        smoothness=None,
        wrong_columns=2,
        evaluates_back=False,
    ),
    Case(
        "Coregionalization",
        Coregionalization([[1.0], [-0.5], [0.3]], [0.2, 0.1, 0.4]),
        points=outputs,
        smoothness=None,
        wrong_columns=2,
    ),
    Case("Spectrum", Spectrum(2, 0.8), points=strings, smoothness=None, wrong_columns=1),
    Case(
        "Spectrum, counts",
        Spectrum(3, 0.8, normalize=False),
        points=strings,
        smoothness=None,
        wrong_columns=2,
        variant=True,
    ),
    Case("Expected RBF", Expected(RBF(0.8, [0.7, 1.5]) + Constant(0.2)), points=gaussians(2), wrong_columns=3),
    Case(
        "Expected by quadrature", Expected(RationalQuadratic(0.8, 1.2), nodes=6), points=gaussians(1), wrong_columns=3
    ),
    Case(
        "Expected of a product",
        Expected(On(RBF(0.8, 0.7), [0]) * On(Hamming(1.0, 1.2), [1])),
        points=noisy_number_exact_code,
        smoothness=None,
        wrong_columns=2,
    ),
    Case("Sigmoid", made_quietly(Sigmoid, 0.5, -0.2)),
    Case("Sum", RBF(0.5, [0.8, 1.2]) + 0.3 * Matern32() + White(0.1), smoothness=None, wrong_columns=3),
    Case("Product", (RBF(0.5) + 0.3) * Linear([0.5, 1.5]) * 2.0, wrong_columns=1),
    Case("Exp", (0.5 * Cosine(0.5, 3.0)).exp()),
    Case("PolynomialOf", PolynomialOf(Matern32(0.8, [0.7, 0.9]), [0.2, 0.0, 1.5]), wrong_columns=1),
    Case("On", On(Matern52(0.8, 0.9), [1]) + On(RBF(), [0, -1]), wrong_columns=1),
    Case("On alone", On(RBF(0.8, [0.9, 0.4]), [1, 0]), wrong_columns=1, variant=True),
    Case("Warp", Warp(RBF(0.8), squashed), evaluates_back=False, saved=False, variant=True),
    Case("Warp by a network", Warp(RBF(0.8), NETWORK), evaluates_back=False, saved=False, wrong_columns=3),
]
