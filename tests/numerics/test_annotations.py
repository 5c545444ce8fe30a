"""`fits` against hand-written truth for each kind of annotation that credo's classes use."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeVar

import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from jaxtyping import ArrayLike, Float, Int

from credo.numerics import Certificate
from credo.numerics.annotations import fits, type_hints

T = TypeVar("T")


@pytest.mark.parametrize(
    ("value", "annotation", "expected"),
    [
        (1, Any, True),
        (1, T, True),
        (None, None, True),
        (1, None, False),
        (1, float, True),
        (np.float32(1), float, True),
        (jnp.ones(()), float, True),
        (jnp.ones(2), float, False),
        ("1", float, False),
        (None, float | None, True),
        ("x", float | None, False),
        ("exact", Literal["exact", "bounded"], True),
        ("other", Literal["exact", "bounded"], False),
        (True, Literal[1], False),
        (("a", "b"), tuple[str, ...], True),
        (("a", 1), tuple[str, ...], False),
        (("a", 1), tuple[str, int], True),
        (("a",), tuple[str, int], False),
        (["a"], tuple[str, ...], False),
        ([1, 2], list[int], True),
        ([1, "b"], list[int], False),
        ({"a": 1.0}, Mapping[str, float], True),
        ({"a": "b"}, dict[str, float], False),
        (jnp.ones(2), Array, True),
        (np.ones(2), Array, True),
        ("text", Array, False),
        (jnp.ones((4, 2)), Float[Array, " n"], True),  # a batched module: shapes are not looked at
        (jnp.ones(2, dtype=int), Float[Array, " n"], False),
        (jnp.ones(2, dtype=int), Int[Array, " n"], True),
        (None, Float[Array, " n"] | None, True),
        (2.5, ArrayLike, True),
        ("text", ArrayLike, False),
        (Certificate("exact"), Certificate, True),
        ({"kind": "exact"}, Certificate, False),
    ],
)
def test_fits(value, annotation, expected):
    assert fits(value, annotation) is expected


def test_a_hint_that_cannot_be_resolved_says_nothing():
    class Record(NamedTuple):
        known: int
        unknown: "NoSuchName"

    hints = type_hints(Record)
    assert hints["known"] is int
    assert fits("anything", hints["unknown"])
    assert not fits("text", hints["known"])


def test_hints_come_from_the_bases_too():
    assert set(type_hints(Certificate)) >= {"kind", "error", "notes"}
