"""Gains of batches against many plain draws, and their best batch against one choice after the other."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import LogExpectedImprovement, imagined, surface_of
from credo.decide.acquisitions.batch import (
    BatchAcquisition,
    BatchLogExpectedImprovement,
    _values,
    batches_evaluated,
    maximize_batch,
)
from credo.decide.acquisitions.maximize import evaluated
from credo.decide.acquisitions.normals import even_normals
from credo.errors import InputError
from credo.numerics.concrete import placed
from credo.represent.space import Choice, Integer, Real, Space
from small_process import conditioned, fitted, measured

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
X, Y = measured()
BEST = np.array([np.min(Y)])
USUAL = np.array([np.median(Y)])  # which draws improve on often, so that their average is accurate


def gain_of(surface, best, q, draws=512):
    return BatchLogExpectedImprovement(surface, placed(best), placed(even_normals(draws, q, random_state=0)))


class Apart(BatchAcquisition):
    """High where each of two rows is near its own place."""

    tops: jax.Array

    @property
    def size(self):
        return 2

    def __call__(self, X):
        return -jnp.sum((X - self.tops) ** 2)


@pytest.mark.parametrize("q", [2, 4])
def test_is_the_mean_best_improvement_over_many_draws(q):
    rng = np.random.default_rng(q)
    rows = rng.random((3, q, 2))
    found = np.exp(batches_evaluated(gain_of(surface_of(fitted(X, Y)), USUAL, q), rows))
    for batch, value in zip(rows, found, strict=True):
        mean, covariance = conditioned(X, Y, batch)
        drawn = rng.multivariate_normal(mean, covariance, size=200_000)
        exact = np.mean(np.maximum(np.max(USUAL - drawn, axis=1), 0.0))
        assert value == pytest.approx(exact, rel=0.02)


def test_of_one_row_is_expected_improvement():
    surface, rows = surface_of(fitted(X, Y)), np.random.default_rng(1).random((5, 2))[1:]  # the first is hopeless
    found = batches_evaluated(gain_of(surface, USUAL, 1), rows[:, None, :])
    np.testing.assert_allclose(found, evaluated(LogExpectedImprovement(surface, placed(USUAL)), rows), atol=0.02)


def test_of_fantasies_it_is_averaged():
    pending = np.array([[0.3, 0.2], [0.9, 0.9]])
    normals = np.random.default_rng(2).normal(size=(2, 8))
    surface, values = imagined(surface_of(fitted(X, Y)), pending, normals, noisy=False)
    best = np.mean(np.asarray(values), axis=0) + USUAL
    rows = np.random.default_rng(1).random((5, 2))[1:]
    found = batches_evaluated(gain_of(surface, best, 1), rows[:, None, :])
    np.testing.assert_allclose(found, evaluated(LogExpectedImprovement(surface, placed(best)), rows), atol=0.02)


def test_where_no_draw_improves_there_is_a_slope():
    gain = gain_of(surface_of(fitted(X, Y)), np.array([-40.0]), 2)
    value, slope = jax.jit(jax.value_and_grad(gain))(placed(np.random.default_rng(1).random((2, 2))))
    assert np.isfinite(value)
    assert np.all(np.isfinite(slope))
    assert np.any(slope != 0.0)


def test_rows_that_coincide_have_a_finite_value_and_slope():
    gain = gain_of(surface_of(fitted(X, Y)), BEST, 2)
    row = np.random.default_rng(1).random((1, 2))
    value, slope = jax.jit(jax.value_and_grad(gain))(placed(np.concatenate([row, row])))
    alone = batches_evaluated(gain_of(gain.surface, BEST, 1), row[None])[0]
    assert value == pytest.approx(alone, abs=0.03)
    assert np.all(np.isfinite(slope))


def test_the_best_batch_is_no_worse_than_one_choice_after_the_other():
    rng = np.random.default_rng(0)
    gain, rows = gain_of(surface_of(fitted(X, Y)), BEST, 2), rng.random((500, 2))
    first = rows[np.argmax(batches_evaluated(gain, np.stack([rows, rows], axis=1)))]
    second = rows[np.argmax(batches_evaluated(gain, np.stack([np.broadcast_to(first, rows.shape), rows], axis=1)))]
    starts = np.concatenate([np.stack([first, second])[None], rng.random((7, 2, 2))])
    found = maximize_batch(gain, BOX, starts)
    assert found.value >= np.max(batches_evaluated(gain, starts))
    assert found.value == pytest.approx(batches_evaluated(gain, found.rows[None])[0])
    pairs = np.random.default_rng(3).random((4000, 2, 2))
    assert found.value >= np.max(batches_evaluated(gain, pairs)) - 0.01


def test_discrete_columns_are_stepped_and_continuous_ones_climbed():
    space = Space({"a": Real(0, 1), "n": Integer(0, 10), "kind": Choice("x", "y", "z")})
    tops = placed(np.array([[0.37, 0.72, 2.0], [0.8, 0.1, 0.0]]))
    found = maximize_batch(Apart(tops), space, np.full((1, 2, 3), [[0.5, 0.5, 1.0], [0.4, 0.5, 1.0]]))
    assert space.decode(found.rows) == [
        {"a": pytest.approx(0.37, abs=0.02), "n": 7, "kind": "z"},
        {"a": pytest.approx(0.8, abs=0.02), "n": 1, "kind": "x"},
    ]


def test_rows_of_a_finite_space_differ_and_are_not_taken():
    space = Space({"n": Integer(0, 4)})
    tops, start = placed(np.array([[0.5], [0.5]])), np.array([[[0.0], [1.0]]])
    found = maximize_batch(Apart(tops), space, start)
    assert (0.5 in found.rows, found.value) == (True, -0.0625)  # and the other one step away
    found = maximize_batch(Apart(tops), space, start, taken=np.array([[0.5]]))
    assert sorted(found.rows[:, 0]) == [0.25, 0.75]


def test_rows_of_a_batch_are_not_nearly_the_same_setting():
    """Both tops are one place: a row goes there, and the other stays a hundredth of a range away, also of `away`."""
    tops, starts = placed(np.array([[0.5, 0.5], [0.5, 0.5]])), np.array([[[0.5, 0.5], [0.5 + 1e-15, 0.5]]])
    starts = np.concatenate([starts, [[[0.5, 0.4], [0.5, 0.6]], [[0.3, 0.5], [0.45, 0.5]]]])
    found = maximize_batch(Apart(tops), BOX, starts)
    assert np.max(np.abs(found.rows[0] - found.rows[1])) >= 0.01
    away = np.array([[0.5, 0.4]])
    found = maximize_batch(Apart(tops), BOX, starts[1:2], away=away)
    np.testing.assert_array_equal(found.rows, starts[1])  # where no start is free, it stays the best there is
    found = maximize_batch(Apart(tops), BOX, starts[1:], away=away)
    assert np.all(np.max(np.abs(found.rows - away), axis=1) >= 0.01)


def test_stays_where_it_is_allowed():
    space = Space({"a": Real(0, 1), "b": Real(0, 1)}, constraints=["a + b <= 1"])
    tops = placed(np.array([[0.9, 0.9], [0.2, 0.3]]))
    found = maximize_batch(Apart(tops), space, space.sample_rows(16, 0).reshape(8, 2, 2))
    assert np.all(space.allowed(found.rows))
    np.testing.assert_allclose(found.rows, [[0.5, 0.5], [0.2, 0.3]], atol=0.15)


def test_further_measurements_compile_nothing():
    rows = placed(np.random.default_rng(1).random((16, 2, 2)))
    sizes = set()
    for n in (7, 8, 12):
        some, values = measured(rows=n)
        _values(gain_of(surface_of(fitted(some, values)), BEST, 2), rows)
        sizes.add(_values._cached._cache_size())
    assert len(sizes) == 1


def test_a_start_of_another_size_is_refused():
    with pytest.raises(InputError, match="batches of 2"):
        maximize_batch(Apart(jnp.zeros((2, 2))), BOX, np.zeros((1, 3, 2)))
