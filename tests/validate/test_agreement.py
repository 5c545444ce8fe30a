"""Posterior agreement: by enumeration of assignments, its limits, closed forms, and where it peaks."""

import itertools

import numpy as np
import pytest
from scipy import optimize

from credo.errors import InputError
from credo.validate.agreement import agreement_peak, posterior_agreement

RNG = np.random.default_rng(0)


def naive(first, second, beta):
    """log(|C| Σ p₁ p₂), as it is written."""
    p, q = np.exp(-beta * first), np.exp(-beta * second)
    return np.log(len(first) * np.sum(p / p.sum() * q / q.sum()))


def test_curve_is_the_definition_and_the_peak_is_its_maximum():
    truth = np.arange(6.0)
    first, second = truth + RNG.normal(size=6), truth + RNG.normal(size=6)
    first[0], second[1] = -1.0, -1.0  # the minimizers differ, so that the peak is at a finite temperature
    grid = np.linspace(0.0, 5.0, 21)
    ours = posterior_agreement(first, second, grid)
    np.testing.assert_allclose(ours.curve, [naive(first, second, b) for b in grid], atol=1e-12)
    best = optimize.brute(lambda b: -naive(first, second, b[0]), [(0.0, 5.0)], Ns=2001)
    assert ours.inverse_temperature == pytest.approx(best[0], abs=1e-3)
    assert ours.value == pytest.approx(naive(first, second, best[0]), abs=1e-8)
    free = posterior_agreement(first, second)
    assert free.value == pytest.approx(ours.value, abs=1e-8)
    assert ours.curve[0] == 0.0


def test_factorized_costs_equal_the_enumeration_of_all_assignments():
    first, second = RNG.exponential(size=(2, 4, 3))
    every = list(itertools.product(range(3), repeat=4))
    total = lambda costs: np.array([sum(costs[i, c] for i, c in enumerate(chosen)) for chosen in every])  # noqa: E731
    grid = [0.3, 1.0, 4.0]
    ours = posterior_agreement(first, second, grid, factorized=True)
    whole = posterior_agreement(total(first), total(second), grid)
    np.testing.assert_allclose(ours.curve, whole.curve, atol=1e-12)
    assert ours.value == pytest.approx(whole.value, abs=1e-10)
    assert ours.most == pytest.approx(np.log(len(every)))


def test_two_hypotheses_have_a_closed_form():
    # Excesses a and −a/2 in favor of different ones: 2 (e^{-βa} + e^{-βa/2}) / ((1 + e^{-βa})(1 + e^{-βa/2})).
    beta = np.array([0.5, 1.0, 2.0])
    u, v = np.exp(-beta * 2.0), np.exp(-beta * 1.0)
    ours = posterior_agreement([0.0, 2.0], [1.0, 0.0], beta)
    np.testing.assert_allclose(ours.curve, np.log(2 * (u + v) / ((1 + u) * (1 + v))))


@pytest.mark.parametrize(
    ("first", "second"), [([0.0, 1.0], [1.0, 0.0]), ([0.0, 2.0], [1.0, 0.0]), ([[0.0, 1.0]] * 3, [[5.0, 0.0]] * 3)]
)
def test_samples_that_share_nothing_agree_by_exactly_zero(first, second):
    # Two hypotheses in opposite order: the curve falls from its value 0 at β = 0, so that this is its maximum.
    ours = posterior_agreement(first, second)
    assert (ours.value, ours.inverse_temperature) == (0.0, 0.0)


def test_the_default_maximum_is_never_negative():
    rng = np.random.default_rng(7)
    values = [posterior_agreement(*rng.normal(size=(2, size))).value for size in (2, 3, 5, 20) for _ in range(25)]
    assert min(values) >= 0.0


def test_minimizers_that_agree_are_best_at_temperature_zero():
    ours = posterior_agreement([0.0, 3.0, 1.0, 2.0], [0.5, 2.0, 4.0, 3.0])
    assert ours.inverse_temperature == np.inf
    assert ours.value == pytest.approx(np.log(4.0))
    tied = posterior_agreement([0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 4.0, 3.0])
    assert tied.value == pytest.approx(np.log(4.0 / 2.0))


def test_runs_are_averaged_before_the_maximum():
    first, second = RNG.normal(size=(2, 5, 8))
    grid = np.geomspace(0.01, 3.0, 30)
    ours = posterior_agreement(first, second, grid)
    each = np.array([[naive(a, b, beta) for beta in grid] for a, b in zip(first, second, strict=True)])
    np.testing.assert_allclose(ours.curve, each.mean(axis=0), atol=1e-12)
    best = [naive(a, b, ours.inverse_temperature) for a, b in zip(first, second, strict=True)]
    assert ours.value == pytest.approx(np.mean(best))
    assert ours.standard_error == pytest.approx(np.std(best, ddof=1) / np.sqrt(5))
    assert posterior_agreement(first[0], second[0]).standard_error is None


def test_units_and_offsets_of_the_costs_do_not_matter():
    first, second = RNG.normal(size=(2, 6))
    first[0] = second[1] = -3.0
    plain = posterior_agreement(first, second)
    for factor in (1e-6, 1e6):
        moved = posterior_agreement(factor * (first + 7.0), factor * (second - 3.0))
        assert moved.value == pytest.approx(plain.value, abs=1e-6)
        assert moved.inverse_temperature * factor == pytest.approx(plain.inverse_temperature, rel=1e-3)


def test_huge_costs_do_not_underflow():
    ours = posterior_agreement([0.0, 1e5], [1e5, 0.0], [1.0])
    assert ours.curve[0] == pytest.approx(np.log(4.0) - 1e5)


def test_equal_costs_have_nothing_to_agree_on():
    ours = posterior_agreement(np.ones(5), np.ones(5))
    assert (ours.value, ours.inverse_temperature) == (0.0, 0.0)


def test_peak_is_where_noise_overtakes_the_signal():
    steps = np.linspace(0.05, 3.0, 40)
    first, second = RNG.normal(size=(2, 50))
    signal = np.linspace(0.0, 2.0, 50)
    pairs = [(t * signal + t**3 * first, t * signal + t**3 * second) for t in steps]
    peak = agreement_peak(iter(pairs), inverse_temperatures=[1.0])
    values = [naive(*pair, 1.0) for pair in pairs]
    np.testing.assert_allclose(peak.agreements, values, atol=1e-10)
    assert peak.iteration == int(np.argmax(values))
    assert 0 < peak.iteration < len(steps) - 1
    assert peak.best.value == max(peak.agreements)


def test_it_prints_in_one_line():
    assert str(posterior_agreement([0.0, 1.0], [0.0, 1.0])) == (
        "posterior agreement 0.6931 of at most 0.6931 nats, at inverse temperature inf"
    )
    assert "±" in str(posterior_agreement(RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))))


def test_nonsense_is_refused():
    for first, second, words in (
        ([0.0, 1.0], [0.0, 1.0, 2.0], "shapes"),
        ([], [], "shapes"),
        (0.0, 1.0, "shapes"),
        ([0.0, np.nan], [0.0, 1.0], "NaN or infinite"),
        ([0.0, 1.0], [0.0, np.inf], "NaN or infinite"),
    ):
        with pytest.raises(InputError, match=words):
            posterior_agreement(first, second)
    with pytest.raises(InputError, match="objects, clusters"):
        posterior_agreement([0.0, 1.0], [0.0, 1.0], factorized=True)
    for grid in ([], [-1.0], [np.inf], [np.nan]):
        with pytest.raises(InputError, match="inverse_temperatures are"):
            posterior_agreement([0.0, 1.0], [1.0, 0.0], grid)
    with pytest.raises(InputError, match="no iterations"):
        agreement_peak([])
