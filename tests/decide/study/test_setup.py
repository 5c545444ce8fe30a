"""Settings that do not go together are refused; context, fidelity and spreads are taken into the encoding."""

import numpy as np
import pytest

from credo.decide.study.goal import Goal
from credo.decide.study.setup import Setup
from credo.errors import InputError
from credo.represent.space import Choice, Integer, Real, Space

SPACE = Space({"x": Real(0, 10), "lr": Real(1e-3, 1, log=True), "epochs": Integer(1, 11), "kind": Choice("a", "b")})
ONE = Goal.of("minimize")


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"acquisition": "luck"}, "acquisition"),
        ({"context": ("y",)}, "context names 'y'"),
        ({"fidelity": {"epochs": 11}}, "without a cost"),
        ({"fidelity": {"epochs": 99}, "cost": float}, "fixed 'epochs'"),
        ({"robust": {"kind": 0.1}}, "robust"),
        ({"robust": {"x": -1.0}}, "robust"),
        ({"robust": {"x": 1.0}, "fidelity": {"epochs": 11}, "cost": float}, "together"),
        ({"region": "here"}, "region"),
        ({"reference": {"y": 1.0}}, "reference"),
        ({"acquisition": "lcb", "cost": float}, "cost"),
        ({"crash_cost": -1.0}, "crash_cost is -1"),
        ({"crash_cost": float("inf")}, "crash_cost is inf"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, what):
    with pytest.raises(InputError, match=what):
        Setup(SPACE, ONE, **settings)


def test_a_price_of_zero_is_not_written_as_before_there_was_one():
    assert "crash_cost" not in Setup(SPACE, ONE, crash_cost=0.0).to_dict()
    assert Setup(SPACE, ONE, crash_cost=2.0).to_dict()["crash_cost"] == 2.0


def test_several_objectives_have_fewer_acquisitions():
    with pytest.raises(InputError, match="2 objectives"):
        Setup(SPACE, Goal.of({"a": "minimize", "b": "minimize"}), "kg")


def test_context_is_held_and_must_be_whole():
    setup = Setup(SPACE, ONE, context=("x",))
    assert setup.within({"x": 5.0}).held == {"x": 5.0}
    for context in (None, {"kind": "a", "x": 5.0}):
        with pytest.raises(InputError, match="context"):
            setup.within(context)


def test_rows_where_they_count():
    setup = Setup(SPACE, ONE, fidelity={"epochs": 11}, context=("x",), cost=lambda point: point["epochs"])
    rows = SPACE.encode([{"x": 1.0, "lr": 0.1, "epochs": 3, "kind": "b"}])
    counted = setup.where_it_counts(setup.within({"x": 5.0}), rows)
    assert SPACE.decode(counted)[0] == pytest.approx({"x": 5.0, "lr": 0.1, "epochs": 11, "kind": "b"})


def test_spreads_are_shares_of_the_range_and_relative_on_a_log_scale():
    setup = Setup(SPACE, ONE, robust={"x": 0.5, "lr": 0.1})
    np.testing.assert_allclose(setup.spreads(), [0.05, np.log(1.1) / np.log(1e3), 0.0, 0.0])


def test_many_parameters_have_a_trust_region():
    wide = Space({f"x{i}": Real(0, 1) for i in range(21)})
    assert Setup(wide, ONE).trusts_a_region
    assert not Setup(wide, ONE, region="whole").trusts_a_region
    assert not Setup(SPACE, ONE).trusts_a_region
