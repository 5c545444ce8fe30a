"""The budget adds up, says what to buy, and refuses what it cannot split."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.beliefs import UncertaintyBudget
from credo.errors import InputError, UndefinedError

parts = st.floats(0, 1e6, allow_nan=False)


@given(noise=parts, parameter=parts, computation=parts)
def test_parts_add_up_and_shares_are_fractions(noise, parameter, computation):
    budget = UncertaintyBudget(noise=noise, parameter=parameter, computation=computation)
    np.testing.assert_allclose(budget.total, noise + parameter + computation, rtol=1e-14)
    shares = [float(share) for share in budget.shares().values()]
    assert all(0.0 <= share <= 1.0 for share in shares)
    assert sum(shares) == pytest.approx(1.0 if noise + parameter + computation > 0 else 0.0)


@pytest.mark.parametrize(
    ("budget", "purchase"),
    [
        (UncertaintyBudget(noise=9.0, parameter=1.0), "repeat the measurement"),
        (UncertaintyBudget(noise=1.0, parameter=9.0), "more rows"),
        (UncertaintyBudget(noise=1.0, parameter=1.0, computation=9.0), "more draws"),
        (UncertaintyBudget.unsplit("conformal intervals"), "conformal intervals"),
    ],
)
def test_advice_names_the_largest_part(budget, purchase):
    assert purchase in budget.advice()


def test_no_variance_needs_no_purchase():
    assert "no variance" in UncertaintyBudget(noise=0.0, parameter=0.0).advice()


def test_rows_are_averaged_and_broadcast():
    budget = UncertaintyBudget(noise=1.0, parameter=[1.0, 3.0])
    np.testing.assert_array_equal(budget.total, [2.0, 4.0])
    assert float(budget.shares()["parameter"]) == pytest.approx((0.5 + 0.75) / 2)


def test_unsplit_has_no_parts_and_says_why():
    budget = UncertaintyBudget.unsplit("the variance is infinite")
    assert not budget.is_split
    assert "the variance is infinite" in str(budget)
    with pytest.raises(UndefinedError, match="the variance is infinite"):
        _ = budget.total


def test_half_a_split_is_refused():
    with pytest.raises(InputError, match=r"noise or parameter is missing.*unsplit"):
        UncertaintyBudget(noise=1.0)


def test_text_and_html_hold_the_numbers_and_escape_the_reason():
    budget = UncertaintyBudget(noise=3.0, parameter=1.0)
    for text in (str(budget), budget._repr_html_()):
        assert "75.0%" in text
        assert "25.0%" in text
    assert "<script>" not in UncertaintyBudget.unsplit("<script>")._repr_html_()


def test_budget_passes_through_jit_and_vmap():
    total = jax.jit(lambda b: b.total)(UncertaintyBudget(noise=jnp.ones(3), parameter=jnp.arange(3.0)))
    np.testing.assert_array_equal(total, [1.0, 2.0, 3.0])
    rows = jax.vmap(lambda b: b.total)(UncertaintyBudget(noise=jnp.ones(3), parameter=jnp.arange(3.0)))
    np.testing.assert_array_equal(rows, total)


def test_entries_of_a_vector_whatever_was_given_once():
    entries = np.array([2, 0])
    whole = UncertaintyBudget(noise=np.arange(6.0).reshape(2, 3), parameter=1.0)
    np.testing.assert_array_equal(whole.of_entries(entries, (2, 3)).noise, [[2.0, 0.0], [5.0, 3.0]])
    once = [(4.0, [[4.0, 4.0]] * 2), ([1.0, 2.0, 3.0], [[3.0, 1.0]] * 2), ([[7.0], [8.0]], [[7.0] * 2, [8.0] * 2])]
    for noise, expected in once:
        budget = UncertaintyBudget(noise=noise, parameter=0.5).of_entries(entries, (2, 3))
        np.testing.assert_array_equal(budget.noise, expected)
        np.testing.assert_array_equal(budget.total, budget.noise + 0.5)
    unsplit = UncertaintyBudget.unsplit("a reason")
    assert unsplit.of_entries(entries, (2, 3)).reason == "a reason"
    with pytest.raises(InputError, match=r"shape \(4,\).*means of shape \(2, 3\)"):
        UncertaintyBudget(noise=np.ones(4), parameter=0.5).of_entries(entries, (2, 3))
