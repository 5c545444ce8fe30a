"""Which acquisition a name is, on what, and what it cannot be on."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import FantasySurface
from credo.decide.acquisitions.maximize import evaluated, moments_at
from credo.decide.study.gains import Situation, gain_of, with_fantasies
from credo.decide.study.surrogate import learn_objective
from credo.errors import InputError
from credo.infer.gaussian.paths import sample_paths
from credo.represent.space import Choice, Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
MIXED = Space({"a": Real(0, 1), "kind": Choice("x", "y")})
ROWS = BOX.sample_rows(12, 0)


def learned(space=BOX, rows=ROWS):
    return learn_objective(space, rows, np.sin(4.0 * rows[:, 0]) + rows[:, -1])


def test_the_best_is_the_least_mean_where_bounds_were_met():
    surface = learned().surface
    mean = moments_at(surface, ROWS)[0][:, 0]
    met = np.arange(12) >= 6
    assert Situation.of(surface, ROWS, met).best == pytest.approx(np.min(mean[6:]))
    assert Situation.of(surface, ROWS, np.zeros(12, dtype=bool)).best == pytest.approx(np.min(mean))


def test_fantasies_are_of_what_is_under_way():
    surface = learned().surface
    assert with_fantasies(surface, ROWS[:0], np.random.default_rng(0)) is surface
    assert isinstance(with_fantasies(surface, np.array([[0.5, 0.5]]), np.random.default_rng(0)), FantasySurface)


def test_of_what_is_under_way_the_function_is_imagined_behind_the_noise():
    """Else a second measurement of the same setting would seem to gain what the first leaves unknown."""
    noisy = np.sin(4.0 * ROWS[:, 0]) + np.random.default_rng(0).normal(size=12)
    surface = learn_objective(BOX, ROWS, noisy).surface
    row = np.array([[0.5, 0.5]])
    imagined = with_fantasies(surface, row, np.random.default_rng(0))
    assert np.all(moments_at(imagined, row)[1] < 1e-6 * moments_at(surface, row)[1])


def test_a_drawn_function_is_the_same_with_padding():
    surface = learned().surface
    now = Situation.of(surface, ROWS, np.ones(12, dtype=bool))
    drawn = gain_of("thompson", now, surface, BOX, np.random.default_rng(7))
    plain = sample_paths(surface.posterior, 1, random_state=np.random.default_rng(7))
    new = BOX.sample_rows(5, 3)
    np.testing.assert_allclose(evaluated(drawn, new), -np.asarray(plain(surface.inputs(jnp.asarray(new))))[0])


@pytest.mark.parametrize("name", ["thompson", "mes"])
def test_no_function_of_choices_is_drawn(name):
    rows = MIXED.sample_rows(12, 0)
    surface = learned(MIXED, rows).surface
    now = Situation.of(surface, rows, np.ones(12, dtype=bool))
    with pytest.raises(InputError, match="unordered choices"):
        gain_of(name, now, surface, MIXED, np.random.default_rng(0))
