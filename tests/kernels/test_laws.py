"""Every law of a kernel, on every case of the registry.

The numbers of a case are computed once, in four compiled programs that all laws share: compiling is what costs here.
"""

import dataclasses
import functools
import inspect
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import credo
import credo.kernels
import credo.numerics
from credo.errors import FileError, InputError
from credo.kernels import Constant, Kernel, Product
from credo.kernels import base as kernels_base
from credo.numerics import flatten, parameters
from kernels.cases import CASES

ROWS, DIRECTIONS = 24, 3
EAGER = ("Matern32", "Hamming", "Product")
STEP, FOUR = 1e-3, np.array([-2.0, -1.0, 1.0, 2.0])
SLOPE = np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * STEP)  # of a function at these four steps, of fourth order
STEPS = np.array([0.04, 0.02, 0.01, 0.005])  # of second differences, extrapolated to zero

VARIANTS = [case for case in CASES if case.variant]
DIFFERENTIABLE = [case for case in CASES if case.smoothness is not None]
SMOOTH = [case for case in DIFFERENTIABLE if case.smoothness == 2]


def on(cases, slow=()):
    """For each case, those in `slow` in the slow suite."""
    return pytest.mark.parametrize(
        "case", [pytest.param(case, id=str(case), marks=[pytest.mark.slow] * (case in slow)) for case in cases]
    )


def assert_close(got, want, rtol):
    """Relative to the largest entry, or to 1e-3: entries of one matrix have one scale."""
    np.testing.assert_allclose(got, want, rtol=0, atol=rtol * np.max(np.abs(want), initial=1e-3))


def points_of(case, seed=0):
    """Points of which the last three occur before."""
    X = case.points(np.random.default_rng(seed), ROWS)
    X[-3:] = X[[0, 0, 5]]
    return jnp.asarray(X)


@eqx.filter_jit
def _matrices(kernel, X):
    return kernel.gram(X), kernel.cross(X, X), kernel.diagonal(X)


class Matrices(NamedTuple):
    gram: np.ndarray
    cross: np.ndarray
    diagonal: np.ndarray


@functools.cache
def matrices(case, seed=0):
    return Matrices(*map(np.asarray, _matrices(case.kernel, points_of(case, seed))))


@eqx.filter_jit
def _of_parameters(kernel, vectors, X, Z, weights):
    _, rebuild, *_ = flatten(kernel)

    def covariance(u):
        return rebuild(u).cross(X, Z)

    def derivatives(u):
        return jax.jacfwd(covariance)(u), jax.grad(lambda u: jnp.sum(weights * covariance(u)))(u)

    return jax.vmap(derivatives)(vectors)


@eqx.filter_jit
def _of_points(kernel, pairs, directions):
    def covariance(pair):
        return kernel.of(pair[0], pair[1])

    def along(pair, direction):
        found, change = jax.jvp(jax.value_and_grad(covariance), (pair,), (direction,))
        return found[0], change[0], jnp.sum(found[1] * direction), jnp.sum(change[1] * direction)

    return jax.vmap(jax.vmap(along, in_axes=(None, 0)))(pairs, directions)


class Lines(NamedTuple):
    """Covariances and their derivatives along lines through pairs of points, and the same by differences."""

    value: np.ndarray
    forward: np.ndarray
    reverse: np.ndarray
    second: np.ndarray
    value_in_matrix: np.ndarray
    first_by_differences: np.ndarray
    second_by_differences: np.ndarray


@functools.cache
def along_lines(case):
    """For one pair of points apart and one coincident, in some directions."""
    rng = np.random.default_rng(1)
    x, z, twice = case.points(rng, 3)
    pairs = np.array([[x, z], [twice, twice]])
    directions = rng.normal(size=(2, DIRECTIONS, *pairs.shape[1:]))
    directions /= np.max(np.abs(directions), axis=(2, 3), keepdims=True)
    ts = np.concatenate([[0.0], STEP * FOUR, STEPS, -STEPS])
    values = covariances(case.kernel, pairs[:, None, None] + ts[:, None, None] * directions[:, :, None])
    second = (values[:, :, 5:9] - 2.0 * values[:, :, :1] + values[:, :, 9:]) / STEPS**2
    at_zero = [np.prod([-other / (h - other) for other in STEPS if other != h]) for h in STEPS]
    found = map(np.asarray, _of_points(case.kernel, pairs, directions))
    return Lines(*found, values[:, :, 0], values[:, :, 1:5] @ SLOPE, second @ np.array(at_zero))


def covariances(kernel, pairs):
    """Of many pairs, as entries of matrices of the shape that is compiled already."""
    flat = pairs.reshape(-1, 2, pairs.shape[-1])
    out = []
    for start in range(0, len(flat), ROWS // 2):
        some = flat[start : start + ROWS // 2]
        X = np.resize(np.concatenate([some[:, 0], some[:, 1]]), (ROWS, flat.shape[-1]))
        out.append(np.diagonal(_matrices(kernel, X)[1], len(some))[: len(some)])
    return np.concatenate(out).reshape(pairs.shape[:-2])


def test_every_exported_kernel_is_in_the_registry():
    exported = {getattr(credo.kernels, name) for name in credo.kernels.__all__}
    kernels = {c for c in exported if inspect.isclass(c) and issubclass(c, Kernel) and not inspect.isabstract(c)}
    assert len(kernels) > 25
    assert kernels == {type(case.kernel) for case in CASES}
    assert len({case.name for case in CASES}) == len(CASES)


@on(CASES)
def test_symmetric(case):
    found = matrices(case).cross
    assert_close(found, found.T, 1e-14)
    assert np.max(np.abs(found)) > 0.0


@on([case for case in CASES if case.kernel.is_positive_semidefinite])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_positive_semidefinite_with_points_that_occur_twice(case, seed):
    for matrix in matrices(case, seed)[:2]:
        eigenvalues = np.linalg.eigvalsh(0.5 * (matrix + matrix.T))
        assert eigenvalues[0] >= -1e-10 * eigenvalues[-1]


@on(CASES)
def test_diagonal_gram_and_cross_agree(case):
    gram, cross, diagonal = matrices(case)
    np.testing.assert_array_equal(np.diagonal(gram), diagonal)
    assert_close(cross, gram, 1e-13)
    assert_close(gram[[-3, -2, -1], [0, 0, 5]], diagonal[[0, 0, 5]], 1e-13)  # the same point in two rows


@on(CASES, slow=VARIANTS)
def test_times_is_the_product_in_blocks(case, monkeypatch):
    X = points_of(case)
    V = np.random.default_rng(2).normal(size=(ROWS, 2))
    monkeypatch.setattr(kernels_base, "_BLOCK", 7 * ROWS)  # four blocks of seven rows, the last one not full
    assert_close(case.kernel.times(X, X, V), matrices(case).cross @ V, 1e-13)


@on(CASES, slow=[case for case in CASES if case.name not in EAGER])
def test_the_same_without_compiling(case):
    X = points_of(case)
    with jax.disable_jit():
        assert_close(case.kernel.cross(X[:2], X[2:4]), matrices(case).cross[:2, 2:4], 1e-13)


@on(CASES, slow=VARIANTS)
def test_derivatives_in_parameters(case):
    """Forward and reverse, at two values of them under vmap; at the second against differences."""
    X = points_of(case)
    vector, rebuild, *_ = flatten(case.kernel)
    vectors = jnp.stack([vector, vector + 0.1])
    weights = np.random.default_rng(3).normal(size=(4, 5))
    forward, reverse = map(np.asarray, _of_parameters(case.kernel, vectors, X[:4], X[-5:], weights))
    assert_close(reverse, np.einsum("nm,bnmp->bp", weights, forward), 1e-12)
    for i in range(vector.size):
        near = [rebuild(vectors[1] + step * np.eye(vector.size)[i]) for step in STEP * FOUR]
        values = np.stack([_matrices(kernel, X)[1][:4, -5:] for kernel in near], axis=-1)
        assert np.ptp(values) > 0.0, "a parameter without effect"
        assert_close(forward[1, :, :, i], values @ SLOPE, 1e-8)


@on(DIFFERENTIABLE, slow=VARIANTS)
def test_first_derivative_in_points(case):
    found = along_lines(case)
    which = slice(None) if case.smoothness else slice(1)  # where points coincide only if there is a limit
    assert_close(found.reverse[which], found.first_by_differences[which], 1e-8)
    assert_close(found.forward, found.reverse, 1e-13)
    assert np.all(np.isfinite(found.reverse))


@on(SMOOTH, slow=VARIANTS)
def test_second_derivative_in_points_is_the_limit_where_they_coincide(case):
    found = along_lines(case)
    assert_close(found.second, found.second_by_differences, 1e-5)


@on(DIFFERENTIABLE, slow=VARIANTS)
def test_one_pair_under_vmap_is_an_entry_of_the_matrix(case):
    found = along_lines(case)
    assert_close(found.value, found.value_in_matrix, 1e-13)


@on(CASES)
def test_flattening_gives_back_the_kernel(case):
    vector, rebuild, _, names = flatten(case.kernel)
    back = rebuild(vector)
    assert len(names) == vector.size
    assert jax.tree.structure(back) == jax.tree.structure(case.kernel)
    assert_same_numbers(back, case.kernel)


def assert_same_numbers(one, two):
    found, wanted = parameters(one), parameters(two)
    assert list(found) == list(wanted)
    for name in wanted:
        np.testing.assert_array_equal(found[name], wanted[name], err_msg=name)


@on([case for case in CASES if case.saved])
def test_saved_and_loaded(case, tmp_path):
    credo.save(case.kernel, tmp_path / "kernel.credo")
    back = credo.load(tmp_path / "kernel.credo")
    assert jax.tree.structure(back) == jax.tree.structure(case.kernel)
    for found, wanted in zip(jax.tree.leaves(back), jax.tree.leaves(case.kernel), strict=True):
        assert np.asarray(found).tobytes() == np.asarray(wanted).tobytes()
    assert str(back) == str(case.kernel)


@on([case for case in CASES if not case.saved])
def test_what_cannot_be_saved_is_named(case, tmp_path):
    with pytest.raises(FileError, match=r"Warp\.u"):
        credo.save(case.kernel, tmp_path / "kernel.credo")


@on([case for case in CASES if case.evaluates_back])
@pytest.mark.filterwarnings("ignore::credo.errors.IndefiniteKernelWarning")
def test_the_text_is_the_expression_that_makes_it(case):
    names = {**vars(credo.kernels), **vars(credo.numerics)}
    back = eval(repr(case.kernel), names)
    assert str(back) == repr(case.kernel)
    assert_same_numbers(back, case.kernel)


@on([case for case in CASES if case.wrong_columns is not None])
def test_points_of_another_number_of_columns_are_refused(case):
    with pytest.raises(InputError, match=r"Hall: .* columns"):
        case.kernel.require_columns(case.wrong_columns, "Hall")
    with pytest.raises(InputError):
        case.kernel(np.zeros((2, case.wrong_columns)))


@on(CASES)
def test_right_points_are_accepted_and_bad_parameters_refused(case):
    X = points_of(case)
    case.kernel.require_points(X, "Hall")
    for name, value in vars(case.kernel).items():
        if name in credo.numerics.declared_parameters(type(case.kernel)):
            with pytest.raises(InputError, match=type(case.kernel).__name__):
                dataclasses.replace(case.kernel, **{name: np.full(value.shape, np.nan)})


def test_only_the_sigmoid_is_no_covariance():
    assert [case.name for case in CASES if not case.kernel.is_positive_semidefinite] == ["Sigmoid"]
    assert isinstance(next(case.kernel for case in CASES if case.name == "Constant, held"), Product | Constant)
