"""What is safe and what may be best, against the formulas; what is suggested, against the explorer's promise."""

import numpy as np
from scipy import stats

from credo.decide.explore import Explorer
from credo.decide.safe.plan import Plan, Seen
from credo.decide.safe.suggest import judged, learned, suggest_safely
from credo.decide.study.goal import Goal
from credo.kernels import RBF
from credo.models import GPRegressor
from credo.represent.space import Real, Space

SPACE = Space({"a": Real(0, 1)})
NONE = np.empty((0, 1))
GRID = np.linspace(0.0, 1.0, 41)[:, None]
ROWS = np.array([[0.3], [0.4], [0.5]])
VALUES = np.array([[1.0, -2.0], [0.6, -1.0], [0.5, 0.5]])


def model(variance=1.0):
    kernel = RBF(lengthscale=[0.2], variance=variance)
    return GPRegressor(kernel=kernel, noise_variance=1e-3, inference=None, standardize=False)


def plan(strategy="itl"):
    surrogates = {"value": model(), "heat": model(16.0)}
    return Plan(SPACE, Goal.of("minimize", ["heat <= 2"]), ROWS[:1], 0.95, strategy, surrogates, False)


def test_safe_and_promising_are_what_intervals_say():
    seen = Seen(ROWS, VALUES, NONE, NONE)
    found = judged(plan(), seen, learned(plan(), seen), GRID)
    value, heat = model().fit(ROWS, VALUES[:, 0]).posterior(GRID), model(16.0).fit(ROWS, VALUES[:, 1]).posterior(GRID)
    width = stats.norm.ppf(0.95)
    mean, std = np.array(heat.mean), np.array(heat.std)
    np.testing.assert_allclose(found.unsafe, stats.norm.sf(2.0, mean, std), atol=1e-9)
    np.testing.assert_array_equal(found.safe, mean + width * std <= 2.0)
    low, high = (np.array(value.mean) + side * width * np.array(value.std) for side in (-1, 1))
    wanted = (mean - width * std <= 2.0) & (low <= np.min(high[found.safe]))
    np.testing.assert_array_equal(found.promising, wanted)
    assert 0 < np.sum(found.safe) < len(GRID)
    assert 0 < np.sum(found.promising) < len(GRID)


def test_the_suggestion_is_the_explorers_and_says_why():
    seen = Seen(ROWS, VALUES, NONE, NONE)
    suggested = suggest_safely(plan(), seen, even=GRID, seed=0)
    outcomes = learned(plan(), seen)
    here = judged(plan(), seen, outcomes, suggested.row[None])
    assert here.safe[0]
    np.testing.assert_allclose(suggested.why.safe, 1.0 - here.unsafe[0])
    assert suggested.why.reason == "learn"
    found = judged(plan(), seen, outcomes, GRID)
    models = [outcome.surface for outcome in outcomes.values()]
    alone = Explorer(models, targets=GRID[found.promising], candidates=GRID[found.safe]).ask()
    assert suggested.why.gain > 0.5 * alone.gains[0]
    assert "nats" in str(suggested.why)


def test_seeds_come_first_and_again_where_nothing_is_safe():
    nothing = Seen(NONE, np.empty((0, 2)), NONE, NONE)
    assert suggest_safely(plan(), nothing, even=GRID).why.reason == "seed"
    under_way = nothing._replace(pending=ROWS[:1])
    assert suggest_safely(plan(), under_way, even=GRID).row[0] == ROWS[0, 0]
    hot = Seen(ROWS[:2], np.array([[1.0, 1.99], [1.0, 2.5]]), NONE, NONE)
    suggested = suggest_safely(plan(), hot, even=GRID)
    assert suggested.why.reason == "repeat"
    assert suggested.row[0] == ROWS[0, 0]
    assert "no other point is safe" in str(suggested.why)


def test_points_that_failed_or_broke_a_bound_are_not_suggested_again():
    seen = Seen(ROWS, VALUES, GRID[10:14], NONE)
    found = judged(plan(), seen, learned(plan(), seen), GRID)
    assert not np.any(found.safe[10:14])
    broke = Seen(ROWS, np.array([[1.0, -1.0], [0.6, 2.001], [0.5, -1.0]]), NONE, NONE)
    assert not judged(plan(), broke, learned(plan(), broke), ROWS).safe[1]


def test_trials_under_way_change_what_tells_most():
    seen = Seen(ROWS, VALUES, NONE, NONE)
    first = suggest_safely(plan(), seen, even=GRID, seed=0)
    second = suggest_safely(plan(), seen._replace(pending=first.row[None]), even=GRID, seed=0)
    assert abs(second.row[0] - first.row[0]) > 1e-3
    assert second.why.gain <= first.why.gain + 1e-9
