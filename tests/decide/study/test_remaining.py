"""What is left to gain: the rule of the bound, functions with a known minimum, and how often the bound holds."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.decide.acquisitions import AveragedSurface, surface_of
from credo.decide.acquisitions.maximize import moments_at
from credo.decide.study import Study
from credo.decide.study.believing import learn_beliefs
from credo.decide.study.columns import SPREAD
from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.quick_surrogate import evidence_of
from credo.decide.study.remaining import Remaining, members_of, remaining_gain, widest_gap
from credo.decide.study.setup import Setup
from credo.decide.study.stopping import remaining_of
from credo.errors import InputError
from credo.kernels import Hamming, Matern52, On
from credo.models import GPRegressor
from credo.represent.space import Choice, Integer, Real, Space
from textbook_gp import matern52

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
KERNEL, NOISE = Matern52(1.0, [0.3, 0.3]), 1e-4


def fitted(X, y, kernel=KERNEL):
    model = GPRegressor(kernel=kernel, noise_variance=NOISE, inference=None, standardize=False)
    return surface_of(model.fit(X, y))


def test_the_bound_is_the_order_statistic_whose_rank_is_uniform():
    """Of S + 1 exchangeable numbers the last one is at most the k-th smallest of the others k times in S + 1."""
    rng = np.random.default_rng(0)
    table = np.sort(rng.exponential(size=(20_000, 19)), axis=1)
    held = rng.exponential(size=20_000) <= [Remaining(row).bound(0.9) for row in table]
    assert np.mean(held) == pytest.approx(0.9, abs=4.0 * (0.09 / 20_000) ** 0.5)
    with pytest.raises(InputError, match=r"level 0\.99"):
        Remaining(table[0]).bound(0.99)


def test_probabilities_are_shares_with_wilsons_intervals():
    gains = np.sort(np.random.default_rng(1).exponential(size=64))
    claim = Remaining(gains).probability(0.7)
    share, z = np.mean(gains >= 0.7), 1.959963984540054
    assert claim.value == share
    center = (share + z**2 / 128) / (1 + z**2 / 64)
    reach = z / (1 + z**2 / 64) * np.sqrt(share * (1 - share) / 64 + z**2 / (4 * 64**2))
    np.testing.assert_allclose(claim.interval(0.95), [center - reach, center + reach], rtol=1e-9)
    low, high = Remaining(gains).probability(100.0).interval(0.95)
    assert low == 0.0
    assert 0.0 < high < 0.1


def test_where_all_is_known_little_is_left_and_elsewhere_what_is_missed():
    side = np.linspace(0.0, 1.0, 4)
    X = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    f = lambda rows: np.sum((rows - 0.43) ** 2, axis=1)  # noqa: E731
    surface = fitted(X, f(X), Matern52(1.0, [2.0, 2.0]))
    at_best = remaining_gain([surface], BOX, np.array([0.43, 0.43]), np.random.default_rng(0))
    elsewhere = remaining_gain([surface], BOX, np.array([0.93, 0.43]), np.random.default_rng(0), scale=10.0)
    assert at_best.bound(0.9) < 0.05
    assert elsewhere.expected == pytest.approx(2.5, abs=0.3)
    assert elsewhere.standard_error < 0.1
    assert elsewhere.probability(1.0).value == 1.0
    again = remaining_gain([surface], BOX, np.array([0.43, 0.43]), np.random.default_rng(0))
    np.testing.assert_array_equal(at_best.gains, again.gains)


def test_following_the_functions_downhill_finds_what_very_many_candidates_find():
    rng = np.random.default_rng(2)
    X = rng.random((6, 2))
    surface = fitted(X, np.sin(5.0 * X[:, 0]))
    few, many = (
        remaining_gain([surface], BOX, X[0], np.random.default_rng(3), candidates=count) for count in (1024, 8192)
    )
    # Other draws of the same seed's functions: the paths come after the candidates.
    assert few.expected == pytest.approx(many.expected, abs=4.0 * np.hypot(few.standard_error, many.standard_error))
    assert np.all(few.gains >= 0.0)


@pytest.mark.parametrize("kernel", [Matern52(1.0, [0.5, 0.5]), On(Matern52(1.0, [0.5]), [0]) * On(Hamming(1.0), [1])])
def test_mixed_spaces_also_with_a_kernel_on_choices(kernel):
    choice = not isinstance(kernel, Matern52)
    space = Space({"a": Real(0, 1), "b": Choice("x", "y", "z") if choice else Integer(0, 5)})
    X = space.sample_rows(16, 0)
    y = X[:, 0] + (X[:, 1] == X[0, 1])
    found = remaining_gain([fitted(X, y, kernel)], space, X[np.argmax(y)], np.random.default_rng(0), near=X)
    assert found.bound(0.5) >= 0.9 * np.ptp(y) - 0.2
    assert np.all(np.diff(found.gains) >= 0.0)


def test_draws_of_the_parameters_have_equally_many_functions_each():
    """Of one process twice over it is what it is of that process."""
    rng = np.random.default_rng(2)
    X = rng.random((6, 2))
    surface = fitted(X, np.sin(5.0 * X[:, 0]))
    twice = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]) if eqx.is_array(leaf) else leaf, surface.posterior)
    both = AveragedSurface(twice, surface.shift, surface.scale)
    found = remaining_gain(members_of(both), BOX, X[0], np.random.default_rng(3), draws=63)
    wanted = remaining_gain([surface], BOX, X[0], np.random.default_rng(3))
    assert (len(found.gains), len(wanted.gains)) == (64, 128)
    tolerance = 4.0 * np.hypot(found.standard_error, wanted.standard_error)
    assert found.expected == pytest.approx(wanted.expected, abs=tolerance)


def test_one_draw_is_refused():
    with pytest.raises(InputError, match="1 draws"):
        remaining_gain([fitted(np.zeros((1, 2)), np.zeros(1))], BOX, np.zeros(2), np.random.default_rng(0), draws=1)


@pytest.mark.slow
@pytest.mark.parametrize("space", [BOX, Space({"a": Integer(0, 20), "b": Integer(0, 20)})], ids=["box", "grid"])
def test_the_bound_holds_as_often_as_it_says(space):
    """Functions drawn from the prior on a fine grid, exactly, and measured at 12 of its points."""
    rng, runs = np.random.default_rng(5), 80
    axis = np.linspace(0.0, 1.0, 21)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    lower = np.linalg.cholesky(matern52(grid, grid, 1.0, np.full(2, 0.3)) + 1e-10 * np.eye(len(grid)))
    held, left = {0.5: 0, 0.9: 0}, []
    for _ in range(runs):
        f = lower @ rng.normal(size=len(grid))
        chosen = rng.choice(len(grid), 12, replace=False)
        surface = fitted(grid[chosen], f[chosen] + NOISE**0.5 * rng.normal(size=12))
        mean, _ = moments_at(surface, grid[chosen])
        best = chosen[np.argmin(mean[:, 0])]
        found = remaining_gain([surface], space, grid[best], rng, near=grid[chosen])
        left.append(f[best] - np.min(f) - found.expected)
        for level in held:
            held[level] += f[best] - np.min(f) <= found.bound(level)
    for level, count in held.items():
        assert abs(count / runs - level) <= 3.0 * (level * (1.0 - level) / runs) ** 0.5
    assert abs(np.mean(left)) < 3.0 * np.std(left) / runs**0.5 + 0.02


def test_the_widest_gap_is_that_of_the_parameter_that_differs_most():
    rows = np.array([[0.0, 0.5], [1.0, 0.5]])
    assert widest_gap(BOX, rows, np.random.default_rng(0)) == pytest.approx(0.5, abs=0.01)
    space = Space({"a": Real(0, 1), "b": Choice("x", "y")})
    assert widest_gap(space, np.array([[0.5, 0.0]]), np.random.default_rng(0)) == 1.0
    assert widest_gap(space, np.array([[0.5, 0.0], [0.5, 1.0]]), np.random.default_rng(0)) == pytest.approx(
        0.5, abs=0.01
    )


def test_a_report_states_the_condition_beside_the_bound():
    """A wide and a narrow minimum: nothing that was measured tells of the narrow one."""
    study = Study(BOX, random_state=0)
    for row in BOX.sample_rows(20, 0):
        point = dict(zip(BOX, row.tolist(), strict=True))
        study.add([point], [float(np.sum((row - 0.3) ** 2))])
    left = study.remaining()
    assert 0.05 < left.gap < 0.4
    line = next(line for line in study.report().standing if line.startswith("left to gain"))
    assert "equally smooth over the whole space" in line
    assert f"narrower than {2 * left.gap:.0%} of the ranges" in line


@pytest.mark.slow
def test_the_bound_holds_on_functions_of_the_surrogates_own_prior():
    """With parameters drawn from their prior, too. At the most likely parameters 88 % held of the promised 95 %."""
    rng, runs, level, held = np.random.default_rng(0), 100, 0.95, []
    line = Space({"x": Real(0, 1)})
    grid = np.linspace(0.0, 1.0, 301)[:, None]
    prior = evidence_of(line, np.zeros((1, 1)), np.zeros(1)).prior
    for _ in range(runs):
        part = rng.choice(len(prior.shares), p=prior.shares)
        length, variance, noise = np.exp(rng.normal(prior.middle[part], prior.spread[part]))
        covariance = matern52(grid / SPREAD, grid / SPREAD, variance, np.full(1, length))
        f = np.linalg.cholesky(covariance + 1e-9 * variance * np.eye(len(grid))) @ rng.normal(size=len(grid))
        at = rng.choice(len(grid), 10, replace=False)
        values = f[at] + np.sqrt(noise) * rng.normal(size=10)
        setup, known = Setup(line, Goal.of("minimize")), Known.of(grid[at], values)
        left = remaining_of(setup, known, draws=64)
        learned = learn_beliefs(setup, known).objectives[0]
        best = at[np.argmin(moments_at(learned.surface, grid[at])[0][:, 0])]
        held.append(f[best] - np.min(f) <= left.bound(level))
    assert sum(held) >= stats.binom(runs, level).ppf(0.01)
