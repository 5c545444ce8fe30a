"""Outcomes averaged over their parameters against a grid of them; changes against draws; the first step of a study."""

import numpy as np
import pytest
from scipy import stats

from credo.decide.safe import SafeStudy
from credo.decide.safe.averaging import Averaged, average_parameters, change_probability
from credo.decide.safe.outcomes import learn_outcome, unsafe_probability
from credo.decide.study.goal import Bound
from credo.represent.space import Choice, Real, Space

LINE = Space({"x": Real(0, 1)})
SQUARE = Space({"a": Real(0, 1), "b": Real(0, 1)})
WIDTH = np.sqrt(1.0 / 12.0)
KEEP = (Bound.parse("heat <= 10"),)


def by_a_grid(rows, values, at, limit):
    """P(function > limit) over a grid of logarithms of length-scale, variance and noise, with textbook algebra."""
    total, above = 0.0, np.zeros(len(at))
    both = np.concatenate([rows, at])[:, 0] / WIDTH
    for length in np.log(np.sqrt(12.0) / 4.0) + 0.7 * np.linspace(-4.0, 4.0, 17):
        a = np.sqrt(5.0) * np.abs(both[:, None] - both) / np.exp(length)
        correlation = (1.0 + a + a**2 / 3.0) * np.exp(-a)
        for variance in 0.5 + 0.8 * np.linspace(-4.0, 4.0, 9):
            k = np.exp(variance) * correlation + 100.0
            for noise in -6.0 + 2.0 * np.linspace(-4.0, 4.0, 9):
                n = len(values)
                covariance = k[:n, :n] + (np.exp(noise) + 1e-6) * np.eye(n)
                gain = np.linalg.solve(covariance, k[:n, n:]).T
                std = np.sqrt(np.diagonal(k[n:, n:] - gain @ k[:n, n:]))
                z = [(length - np.log(np.sqrt(12.0) / 4.0)) / 0.7, (variance - 0.5) / 0.8, (noise + 6.0) / 2.0]
                weight = stats.multivariate_normal.pdf(values, np.zeros(n), covariance) * np.exp(-0.5 * np.dot(z, z))
                total, above = total + weight, above + weight * stats.norm.sf(limit, gain @ values, std)
    return above / total


@pytest.mark.parametrize("n", [1, 3])
def test_the_probability_of_breaking_a_bound_is_that_of_a_grid_over_parameters(n):
    rows, at = np.array([[0.4], [0.5], [0.65]])[:n], np.array([[0.41], [0.47], [0.6], [0.95]])
    values = np.array([0.0, 3.0, 2.0])[:n]
    believed = learn_outcome(LINE, "heat", rows, values, KEEP, promise=0.9, audit=False)
    found = believed.at(at).broken(KEEP[0])
    standard = (values - believed.center) / believed.scale
    wanted = by_a_grid(rows, standard, at, (10.0 - believed.center) / believed.scale)
    np.testing.assert_allclose(found, wanted, atol=0.015)


def test_the_belief_of_a_single_measurement_has_the_unit_of_its_distance_to_the_bound():
    rows, at = np.array([[0.4, 0.5]]), np.array([[0.42, 0.5], [0.5, 0.6], [0.0, 0.0]])
    small = learn_outcome(SQUARE, "heat", rows, np.array([4.0]), KEEP, promise=0.9)
    large = learn_outcome(SQUARE, "heat", rows, np.array([4e6]), [Bound("heat", 1.0, 10e6)], promise=0.9)
    risks = small.at(at).broken(KEEP[0])
    np.testing.assert_allclose(risks, large.at(at).broken(Bound("heat", 1.0, 10e6)), rtol=1e-6)
    assert np.all(np.diff(risks) > 0.0)
    assert risks[-1] > 0.2  # what was not measured is not safe by the prior


def test_many_measurements_do_without_the_average_and_still_allow_for_changes():
    rows = LINE.sample_rows(201, 0)
    many = average_parameters(LINE, rows, np.sin(6.0 * rows[:, 0]))
    assert many.process is None
    assert 0.0 < many.change(np.array([[0.5004]]))[0] < 0.01


def test_changes_have_a_gamma_rate():
    rng = np.random.default_rng(0)
    measured = np.cumsum([[0.0], [0.02], [0.05], [0.3]], axis=0)  # the last edge counts 0.1 of its length
    explored = 0.02 + 0.05 + 0.1
    rate = rng.gamma(0.25, 1.0 / 0.1, size=400_000)
    first = rng.exponential(1.0, size=len(rate)) / np.maximum(rate, 1e-300)
    beyond = first[first > explored] - explored
    away = np.array([0.0, 0.03, 0.2, 0.5])
    wanted = [np.mean(beyond <= each) for each in away]
    np.testing.assert_allclose(change_probability(measured, 0.37 + away[:, None]), wanted, atol=0.005)


def test_choices_that_differ_are_one_range_apart():
    space = Space({"a": Real(0, 1), "kind": Choice("x", "y", "z")})
    mine = Averaged(space, np.array([[0.5, 2.0]]), None)
    apart = mine.change(np.array([[0.5, 2.0], [0.5, 0.0], [0.5, 1.0]]))
    np.testing.assert_allclose(apart, change_probability(np.zeros((1, 1)), np.array([[0.0], [1.0], [1.0]])))


def test_repeated_measurements_explore_nothing():
    once, twice = np.zeros((1, 2)), np.zeros((2, 2))
    at = np.array([[0.1, 0.0]])
    np.testing.assert_array_equal(change_probability(once, at), change_probability(twice, at))
    apart = np.array([[0.0, 0.0], [0.05, 0.0]])
    copied = np.concatenate([apart[:1], apart, apart[:1], apart + 1e-12])
    np.testing.assert_allclose(change_probability(copied, at), change_probability(apart, at), rtol=1e-9)


def test_where_no_new_setting_is_safe_the_reason_says_so():
    """A step of a twentieth of the range from a single point is longer than 95 % allow."""
    space = Space({"a": Real(0, 1, step=0.05)})
    study = SafeStudy(space, safety=["value >= 0"], seeds=[{"a": 0.5}], direction="maximize", random_state=0)
    study.tell(study.ask(), 1.0)
    again = study.ask()
    assert again.params == {"a": 0.5}
    assert "no new setting is safe with the promised probability" in str(again.why)


def test_a_study_from_one_point_begins_with_a_short_step_and_lengthens_it():
    study = SafeStudy(SQUARE, safety=["value >= 0"], seeds=[{"a": 0.5, "b": 0.5}], direction="maximize", random_state=0)
    study.tell(study.ask(), 1.0)
    away = [{"a": 0.5 + step, "b": 0.5 - step} for step in (0.005, 0.035, 0.05)]
    safe = study.safe_probability(away)
    assert safe[0] > 0.95 > safe[1] > safe[2]
    lengths = []
    for _ in range(5):
        trial = study.ask()
        here = study.space.encode([trial.params])
        measured = study.space.encode([done.params for done in study.trials[:-1]])
        lengths.append(np.min(np.linalg.norm(measured - here, axis=1)))
        assert trial.why.reason == "learn"
        assert trial.why.safe == pytest.approx(study.safe_probability([trial.params])[0], abs=1e-3)
        study.tell(trial, 1.0 + 0.1 * (trial.params["a"] - 0.5))
    assert 0.005 < lengths[0] < 0.04
    assert lengths[-1] > 1.5 * lengths[0]


def test_two_bounds_on_one_outcome_have_one_change():
    bounds = [Bound.parse("heat <= 10"), Bound.parse("heat >= -1000")]
    outcome = learn_outcome(LINE, "heat", np.array([[0.4]]), np.array([4.0]), bounds, promise=0.9)
    at = np.array([[0.41]])
    believed = outcome.at(at)
    risks = sum(believed.broken(bound) for bound in bounds)
    np.testing.assert_allclose(unsafe_probability({"heat": believed}, bounds), risks + outcome.averaged.change(at))
