"""What is believed of candidates has one entry a row."""

import numpy as np

from credo.decide.safe.plan import Plan, Seen
from credo.decide.safe.suggest import judged, learned
from credo.decide.study.goal import Goal
from credo.kernels import RBF
from credo.models import GPRegressor
from credo.represent.space import Real, Space


def test_candidates_are_described_row_by_row():
    model = GPRegressor(kernel=RBF(lengthscale=[0.2]), noise_variance=1e-3, inference=None, standardize=False)
    rows, none = np.array([[0.3], [0.4]]), np.empty((0, 1))
    plan = Plan(
        Space({"a": Real(0, 1)}), Goal.of("maximize", ["value >= 0"]), rows[:1], 0.95, "itl", {"value": model}, False
    )
    seen = Seen(rows, np.array([[1.0], [1.5]]), none, none)
    found = judged(plan, seen, learned(plan, seen), np.linspace(0.0, 1.0, 11)[:, None])
    assert {len(part) for part in found} == {11}
    assert np.all(found.widths > 0.0)
    np.testing.assert_array_equal(found.safe, found.unsafe <= 0.05)
