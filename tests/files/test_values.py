"""`complaint` says about ready-made values what the constructor says about arguments."""

import dataclasses
import tracemalloc

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs import (
    Beta,
    Binomial,
    Categorical,
    MultivariateNormal,
    MultivariateStudentT,
    Normal,
    NormalInverseWishart,
    TruncatedNormal,
    Uniform,
    Wishart,
)
from credo.errors import InputError
from credo.files.values import complaint
from credo.numerics import Bounded, Fixed, Moments, Positive

HONEST = {
    "Normal": Normal([0.0, 1.0], 2.0),
    "Beta": Beta(1.0, 2.0),
    "Binomial": Binomial(3, 0.0),
    "Categorical": Categorical([0.25, 0.75]),
    "MultivariateNormal": MultivariateNormal(np.zeros(2), np.eye(2)),
    "MultivariateStudentT": MultivariateStudentT(3.0, np.zeros(2), np.eye(2)),
    "NormalInverseWishart": NormalInverseWishart(np.zeros(2), 1.0, 3.0, np.eye(2)),
    "Uniform": Uniform(0.0, 1.0),
    "TruncatedNormal": TruncatedNormal(0.0, 1.0, 0.0),
    "Wishart": Wishart(3.0, np.eye(2)),
    "Bounded": Bounded(low=[0.0, 1.0], high=2.0),
}
BAD = [
    ("Normal", {"scale": -1.0}),
    ("Normal", {"scale": [1.0, 0.0]}),
    ("Normal", {"scale": np.nan}),
    ("Normal", {"loc": np.inf}),
    ("Beta", {"a": -0.5}),
    ("Binomial", {"trials": 2.5}),
    ("Binomial", {"probability": 1.5}),
    ("Categorical", {"probabilities": [0.5, 0.6]}),
    ("Categorical", {"probabilities": [1.5, -0.5]}),
    ("MultivariateNormal", {"covariance": [[1.0, 2.0], [2.0, 1.0]]}),
    ("MultivariateNormal", {"covariance": [[1.0, 0.5], [0.0, 1.0]]}),
    ("MultivariateNormal", {"covariance": np.eye(3)}),
    ("MultivariateStudentT", {"shape_matrix": np.eye(3)}),
    ("NormalInverseWishart", {"df": 0.5}),
    ("Uniform", {"low": 2.0}),
    ("TruncatedNormal", {"low": np.inf}),
    ("Wishart", {"df": 0.5}),
]


def altered(module, **values):
    """A copy with other values in its fields, past its constructor, as a file would bring it."""
    made = object.__new__(type(module))
    for field in dataclasses.fields(module):
        object.__setattr__(made, field.name, values.get(field.name, getattr(module, field.name)))
    return made


@pytest.mark.parametrize("name", HONEST)
def test_what_a_constructor_made_is_not_complained_about(name):
    assert complaint(HONEST[name]) is None
    assert complaint(altered(HONEST[name])) is None


@pytest.mark.parametrize(("name", "values"), BAD, ids=str)
def test_the_complaint_is_the_one_of_the_constructor(name, values):
    honest, values = HONEST[name], {key: jnp.asarray(value) for key, value in values.items()}
    arguments = {f.name: getattr(honest, f.name) for f in dataclasses.fields(honest)} | values
    with pytest.raises(InputError) as caught:
        type(honest)(**arguments)
    assert complaint(altered(honest, **values)) == str(caught.value)


def test_a_batched_module_is_held_to_the_same_constraints():
    many = jax.vmap(lambda scale: MultivariateNormal(jnp.zeros(1), scale * jnp.eye(1)))(jnp.ones(5000))
    assert complaint(many) is None
    assert "covariance" in complaint(jax.vmap(lambda s: MultivariateNormal(jnp.zeros(1), s * jnp.eye(1)))(-jnp.ones(3)))


def test_overrides_and_bounds_count():
    held = Normal(Bounded(0.5, low=0.0, high=1.0), Fixed(2.0))
    assert complaint(held) is None
    assert "between 0 and 1" in complaint(altered(held, loc=jnp.asarray(3.0)))
    assert "positive" in complaint(altered(held, scale=jnp.asarray(-3.0)))  # Fixed itself allows it
    assert "positive" in complaint(altered(Normal(Positive(1.0), 1.0), loc=jnp.asarray(0.0)))
    assert "is not below" in complaint(altered(Bounded(low=0.0, high=1.0), low=2.0))


def test_modules_that_declare_nothing_have_nothing_to_say():
    assert complaint(Moments(jnp.asarray(-1.0), jnp.zeros(1), jnp.zeros((1, 1)))) is None


def column_against_row(n):
    column, row = jnp.zeros((n, 1)), jnp.ones((1, n))
    low, high = tuple((0.0,) for _ in range(n)), (tuple(1.0 for _ in range(n)),)
    yield altered(Uniform(0.0, 1.0), low=column, high=row)
    yield altered(Bounded(low=0.0, high=1.0), low=low, high=high)
    yield altered(Normal(0.5, 1.0), loc=column, overrides={"loc": altered(Bounded(), low=high)})


def test_a_column_against_a_row_is_not_multiplied_out():
    """20 000 by 20 000 truth values are 400 MB."""
    for module in column_against_row(20_000):
        tracemalloc.start()
        try:
            assert "do not belong together" in complaint(module)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 2**25
