"""Every module that `credo.beliefs` exports survives the way to a file and back, to the last bit."""

import dataclasses

import jax
import numpy as np
import pytest

import credo
import credo.beliefs
from credo.beliefs import (
    Belief,
    Empirical,
    Mixture,
    MultivariateNormal,
    Normal,
    TruncatedNormal,
    UncertaintyBudget,
    Uniform,
)
from credo.files.listed import field_names, kind_of
from credo.numerics import Bounded, Extended, Positive, PositiveDefinite, Probability, Real, Simplex, Whole
from credo.numerics.parameters import constraint_of, declared_parameters

EXAMPLES = {
    Real: np.float64(0.5),
    Bounded: np.float64(0.75),
    Extended: np.float64(np.inf),
    Positive: np.float64(4.5),
    Probability: np.float64(0.25),
    Whole: np.float64(3.0),
    Simplex: np.array([0.25, 0.5, 0.25]),
    PositiveDefinite: np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 3.0]]),
}
SPECIAL = {
    Empirical: lambda: Empirical(np.array([[1.0, 2.0], [3.0, 4.0]]), event_ndim=1),
    Mixture: lambda: Mixture([0.5, 0.5], Normal([0.0, 1.0], 2.0)),
    TruncatedNormal: lambda: TruncatedNormal(0.0, 1.0, 0.0),
    Uniform: lambda: Uniform([0.0, -1.0], 2.0),
    UncertaintyBudget: lambda: UncertaintyBudget(noise=[1.0, 2.0], parameter=0.5),
}


def example(cls):
    """A small instance, made from one number for each constraint that the class declares."""
    if cls in SPECIAL:
        return SPECIAL[cls]()
    values = {}
    for field in dataclasses.fields(cls):
        if "credo.constraint" not in field.metadata:
            continue
        value = EXAMPLES[type(field.metadata["credo.constraint"])]
        values[field.name] = np.full((3,) * field.metadata["event_ndim"], value) if value.ndim == 0 else value
    return cls(**values)


EXPORTED = [getattr(credo.beliefs, name) for name in credo.beliefs.__all__]
FAMILIES = [cls for cls in EXPORTED if kind_of(cls) == "module" and (issubclass(cls, Belief) or cls in SPECIAL)]


def test_there_are_families():
    assert len(FAMILIES) > 25


@pytest.mark.parametrize("cls", FAMILIES, ids=lambda cls: cls.__name__)
def test_round_trip(tmp_path, cls):
    belief = example(cls)
    credo.save(belief, tmp_path / "belief.credo")
    back = credo.load(tmp_path / "belief.credo")
    assert type(back) is cls
    assert jax.tree.structure(back) == jax.tree.structure(belief)
    for found, expected in zip(jax.tree.leaves(back), jax.tree.leaves(belief), strict=True):
        assert isinstance(found, jax.Array)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert np.asarray(found).tobytes() == np.asarray(expected).tobytes()
    assert set(vars(back)) == set(field_names(cls))
    assert str(back) == str(belief)


def test_a_budget_and_a_nest_of_beliefs(tmp_path):
    nest = {"prior": [MultivariateNormal(np.zeros(2), np.eye(2)), (Normal(Positive(1.0), 2.0), None)]}
    credo.save(nest, tmp_path / "nest")
    back = credo.load(tmp_path / "nest")
    assert jax.tree.structure(back) == jax.tree.structure(nest)
    assert isinstance(constraint_of(back["prior"][1][0], "loc"), Positive)
    assert declared_parameters(type(back["prior"][0])) == {"loc": 1, "covariance": 2}
