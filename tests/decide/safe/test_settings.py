"""Seeds and surrogates, in the forms in which they may come."""

import numpy as np
import polars as pl
import pytest

from credo.decide.safe.settings import checked_seeds, safe_goal, surrogates_by_outcome
from credo.errors import InputError
from credo.models import GPRegressor
from credo.represent.space import Real, Space

SPACE = Space({"a": Real(0, 2), "b": Real(0, 1)})


def test_seeds_are_encoded_from_dicts_and_frames():
    wanted = [[0.5, 0.25], [1.0, 0.5]]
    np.testing.assert_allclose(checked_seeds(SPACE, [{"a": 1.0, "b": 0.25}, {"a": 2.0, "b": 0.5}]), wanted)
    np.testing.assert_allclose(checked_seeds(SPACE, pl.DataFrame({"a": [1.0, 2.0], "b": [0.25, 0.5]})), wanted)


@pytest.mark.parametrize("seeds", [[], (), None, [{"a": 3.0, "b": 0.1}], [{"a": 1.0}], [1.0]])
def test_what_is_no_seed_is_refused(seeds):
    with pytest.raises(InputError, match="seed"):
        checked_seeds(SPACE, seeds)


def test_seeds_of_a_frame_keep_the_constraints_too():
    tight = Space({"a": Real(0, 1), "b": Real(0, 1)}, ["a + b <= 1"])
    with pytest.raises(InputError, match="seed"):
        checked_seeds(tight, pl.DataFrame({"a": [0.9], "b": [0.9]}))


def test_one_surrogate_serves_all_outcomes():
    model = GPRegressor()
    assert surrogates_by_outcome(None, ("value", "heat")) == {}
    assert surrogates_by_outcome(model, ("value", "heat")) == {"value": model, "heat": model}
    assert surrogates_by_outcome({"heat": model}, ("value", "heat")) == {"heat": model}
    with pytest.raises(InputError, match="cold"):
        surrogates_by_outcome({"cold": model}, ("value",))


def test_one_objective_and_a_bound():
    assert safe_goal({"gain": "maximize"}, ["heat <= 6"]).outcomes == ("gain", "heat")
    with pytest.raises(InputError, match="keeps bounds"):
        safe_goal("minimize", [])
