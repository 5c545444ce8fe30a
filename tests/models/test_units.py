"""Predictions do not depend on the units or the origin of the columns, for every estimator of the registry.

A penalty on raw coefficients and distances in raw units depend on units by definition. The docstring of such an
estimator states it, and its own tests compare it with the same objective in other units; here it has to stay finite.
"""

import numpy as np
import pytest

from contract import answers, every, labels, made
from credo.errors import InputError
from credo.models import Estimator

UNITS = [1e-100, 1e-12, 1e-6, 1e15, 1e100]
#: What the docstring of an estimator states that depends on units, or on the origin as well.
ON_UNITS, ON_ORIGIN = "depends on the units of the columns", "on their origin"


def table(n=40, d=3, seed=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ np.array([1.0, -2.0, 0.5])[:d] + rng.normal(size=n)


def states(cls, phrase):
    return phrase in " ".join(cls.__doc__.split())


def assert_same(cls, X, y, changed, rtol, *, unless):
    """The same answers from changed columns, or a refusal."""
    y = labels(cls, y)
    before = answers(made(cls).fit(X, y), X)
    try:
        after = answers(made(cls).fit(changed, y), changed)
    except InputError as refusal:
        assert "column" in str(refusal)  # noqa: PT017
        return
    assert np.all(np.isfinite(after) | ~np.isfinite(before))
    if not states(cls, unless):
        np.testing.assert_allclose(after, before, rtol=rtol, atol=rtol * np.max(np.abs(before)))


@pytest.mark.filterwarnings("ignore::credo.errors.ConvergenceWarning")
@every(Estimator)
@pytest.mark.parametrize("unit", UNITS)
def test_units_of_a_column_change_nothing(cls, unit):
    X, y = table()
    assert_same(cls, X, y, X * [unit, 1.0, 1.0], rtol=1e-5, unless=ON_UNITS)


@pytest.mark.filterwarnings("ignore::credo.errors.ConvergenceWarning")
@every(Estimator)
def test_shifts_of_a_column_change_nothing(cls):
    """By a million standard deviations, as a time stamp is shifted; its digits are then 1e-10 of what they were."""
    X, y = table()
    assert_same(cls, X, y, X + np.array([1e6, 0.0, -1e6]), rtol=1e-4, unless=ON_ORIGIN)
