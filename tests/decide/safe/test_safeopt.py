"""The baseline against its definition, written with refits and a loop over points."""

import numpy as np
from scipy import stats

from credo.decide.safe.plan import Plan, Seen
from credo.decide.safe.safeopt import widest
from credo.decide.safe.suggest import judged, learned
from credo.decide.study.goal import Goal
from credo.kernels import RBF
from credo.models import GPRegressor
from credo.represent.space import Real, Space

SPACE = Space({"a": Real(0, 1)})
MODEL = GPRegressor(kernel=RBF(lengthscale=[0.15]), noise_variance=1e-3, inference=None, standardize=False)
GRID = np.linspace(0.0, 1.0, 41)[:, None]


def by_definition(rows, values, level, limit):
    """Berkenkamp et al. 2016 for one function to be maximized and bounded from below."""
    width = stats.norm.ppf(level)
    fitted = lambda X, y: MODEL.fit(X, y).posterior(GRID)  # noqa: E731
    belief = fitted(rows, values)
    mean, std = np.array(belief.mean), np.array(belief.std)
    low, high = mean - width * std, mean + width * std
    safe = low >= limit
    maximizers = safe & (high >= np.max(low[safe]))
    expanders = np.zeros(len(GRID), dtype=bool)
    for i in np.flatnonzero(safe):
        again = fitted(np.vstack([rows, GRID[i]]), np.append(values, high[i]))
        expanders[i] = np.any((np.array(again.mean) - width * np.array(again.std) >= limit) & ~safe)
    return int(np.argmax(np.where(maximizers | expanders, std, -1.0)))


def test_it_measures_what_its_definition_says():
    rows, values = np.array([[0.3], [0.42]]), np.array([1.0, 1.2])
    plan = Plan(SPACE, Goal.of("maximize", ["value >= 0.3"]), rows[:1], 0.95, "safeopt", {"value": MODEL}, False)
    for _ in range(3):
        seen = Seen(rows, values[:, None], np.empty((0, 1)), np.empty((0, 1)))
        outcomes = learned(plan, seen)
        choice, width = widest(plan, outcomes, judged(plan, seen, outcomes, GRID))
        wanted = GRID[by_definition(rows, values, 0.95, 0.3)]
        np.testing.assert_allclose(choice, wanted)
        np.testing.assert_allclose(width, 2.0 * stats.norm.ppf(0.95) * outcomes["value"].at(wanted[None]).std[0])
        rows, values = np.vstack([rows, choice]), np.append(values, 0.8 + np.sin(6.0 * choice[0]))
