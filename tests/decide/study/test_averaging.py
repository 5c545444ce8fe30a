"""Beliefs that a study reports: intervals that hold with few, noisy trials, and what they are averages of."""

import numpy as np
import pytest
from scipy import stats

from credo.decide.study import Study
from credo.decide.study.averaging import Components, audit_of, believed_at, probability_feasible
from credo.decide.study.believing import learn_beliefs
from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.prepare import as_it_counts
from credo.decide.study.setup import Setup
from credo.models import GPRegressor
from credo.represent.space import Choice, Real, Space

BOX = Space({"x": Real(0, 1), "y": Real(0, 1)})
MIXED = Space({"x": Real(0, 1), "kind": Choice("a", "b", "c")})


def bowl(point):
    return 10.0 * (point["x"] - 0.4) ** 2 + 8.0 * (point["y"] - 0.6) ** 2 + 3.0 * point["x"] * point["y"]


@pytest.mark.slow
@pytest.mark.parametrize(("truth", "noise"), [(lambda point: 50.0, 6.0), (bowl, 3.0)], ids=["flat", "smooth"])
def test_intervals_of_recommendations_hold_after_eight_and_fifteen_noisy_trials(truth, noise):
    """At the most likely parameters 3 to 7 % held after eight trials, and 70 to 77 % after fifteen."""
    held = {8: [], 15: []}
    for seed in range(40):
        rng, study = np.random.default_rng(seed), Study(BOX, random_state=seed)
        for count in range(1, 16):
            trial = study.ask()
            study.tell(trial, truth(trial.params) + noise * rng.normal())
            if count in held:
                found = study.recommend()
                low, high = found.belief.interval(0.9)
                held[count].append(bool(low <= truth(found.params) <= high))
    for results in held.values():  # each would be this low once in a thousand times if 90 % held
        assert sum(results) >= stats.binom(len(results), 0.9).ppf(1e-3)


def test_parameters_that_few_trials_leave_open_widen_the_belief():
    """Six numbers without a pattern: a wild function, or none at all under noise."""
    rng = np.random.default_rng(1)
    rows, values = BOX.sample_rows(6, 0), rng.normal(size=6)
    setup = Setup(BOX, Goal.of("minimize"))
    learned = learn_beliefs(setup, Known.of(rows, values)).objectives[0]
    best = rows[[int(np.argmin(values))]]
    found = believed_at(BOX, learned, learned.surface, best, 1.0).belief
    low, high = (float(end[0]) for end in found.interval(0.9))
    assert low < np.min(values) + 0.3
    assert high > np.mean(values) - 0.3


@pytest.mark.parametrize("space", [BOX, MIXED])
def test_few_and_many_rows_have_the_same_belief(space):
    rows = space.sample_rows(14, 0)
    values = np.sin(5.0 * rows[:, 0]) + 0.5 * rows[:, 1]
    learned = learn_beliefs(Setup(space, Goal.of("minimize")), Known.of(rows, values)).objectives[0]
    new = space.sample_rows(20, 1)
    many = believed_at(space, learned, learned.surface, new, -1.0)
    few = believed_at(space, learned, learned.surface, new[:4], -1.0)
    np.testing.assert_allclose(few.mean, many.mean[:4], rtol=1e-6)
    np.testing.assert_allclose(few.std, many.std[:4], rtol=1e-4)


def test_more_is_better_turns_the_belief_around():
    rows = BOX.sample_rows(8, 0)
    learned = learn_beliefs(Setup(BOX, Goal.of("minimize")), Known.of(rows, rows[:, 0])).objectives[0]
    up, down = (believed_at(BOX, learned, learned.surface, rows[:2], sign) for sign in (1.0, -1.0))
    np.testing.assert_allclose(up.mean, -down.mean)
    np.testing.assert_allclose(up.std, down.std)


def test_the_belief_is_the_mixture_of_its_components():
    parts = Components(np.array([0.3, 0.7]), np.array([[0.0, 2.0]]), np.array([[1.0, 0.5]]))
    found = parts.belief
    assert float(found.mean[0]) == pytest.approx(parts.mean[0])
    assert float(found.std[0]) == pytest.approx(parts.std[0])
    grid = np.linspace(-4.0, 5.0, 7)
    wanted = 0.3 * stats.norm(0.0, 1.0).cdf(grid) + 0.7 * stats.norm(2.0, 0.5).cdf(grid)
    np.testing.assert_allclose([float(found.cdf(x)[0]) for x in grid], wanted, rtol=1e-9)


def test_feasibility_multiplies_what_is_bounded_and_what_crashes():
    rows = BOX.sample_rows(12, 0)
    excess = (rows[:, :1] - 0.5) * np.array([1.0, -0.5])
    setup = Setup(BOX, Goal.of("minimize", ["a <= 0", "b <= 0"]))
    both = learn_beliefs(setup, Known.of(rows, rows[:, 1], excess=excess, failed=rows[:2] + 0.01))
    each = [both._replace(bounds=(one,), crashes=None) for one in both.bounds] + [both._replace(bounds=())]
    new = BOX.sample_rows(5, 1)
    wanted = np.prod([probability_feasible(BOX, one, new) for one in each], axis=0)
    np.testing.assert_allclose(probability_feasible(BOX, both, new), wanted, rtol=1e-6)


def test_a_surrogate_of_the_users_own_has_its_own_belief():
    rows = BOX.sample_rows(8, 0)
    setup = Setup(BOX, Goal.of("minimize"), surrogate=GPRegressor(random_state=0))
    learned = learn_beliefs(setup, Known.of(rows, rows[:, 0])).objectives[0]
    assert learned.measured is None
    assert len(believed_at(BOX, learned, learned.surface, rows, 1.0).shares) == 1


def test_a_belief_that_failed_its_audit_is_wider_around_the_same_mean():
    rows = BOX.sample_rows(12, 0)
    learned = learn_beliefs(Setup(BOX, Goal.of("minimize")), Known.of(rows, rows[:, 0])).objectives[0]
    missed = learned._replace(ahead=np.full(12, 4.0))
    audit = audit_of(BOX, missed)
    assert audit.verdict == "overconfident"
    assert audit_of(BOX, learned).factor == 1.0
    new = BOX.sample_rows(3, 1)
    plain, wide = (believed_at(BOX, each, each.surface, new, 1.0) for each in (learned, missed))
    np.testing.assert_allclose(wide.mean, plain.mean)
    np.testing.assert_allclose(wide.std, audit.factor * plain.std)
    assert wide.factor == audit.factor


def test_more_trials_than_are_averaged_over_are_audited_too():
    rows = BOX.sample_rows(210, 0)
    values = np.sin(5.0 * rows[:, 0]) + rows[:, 1]
    learned = learn_beliefs(Setup(BOX, Goal.of("minimize")), Known.of(rows, values)).objectives[0]
    assert learned.measured is None
    assert audit_of(BOX, learned).rows == 210
    missed = learned._replace(ahead=np.full(210, 4.0))
    factor = audit_of(BOX, missed).factor
    new = BOX.sample_rows(3, 1)
    plain, wide = (believed_at(BOX, each, each.surface, new, 1.0) for each in (learned, missed))
    np.testing.assert_allclose(wide.std / plain.std, factor / audit_of(BOX, learned).factor)
    assert factor > 2.0


def test_an_average_over_hardly_any_error_is_the_belief_itself():
    rng = np.random.default_rng(0)
    rows = BOX.sample_rows(12, 0)
    known = Known.of(rows, rows[:, 0] + 0.3 * rng.normal(size=12))
    setup = Setup(BOX, Goal.of("minimize"), robust={"x": 1e-7})
    learned = learn_beliefs(setup, known).objectives[0]
    new = BOX.sample_rows(12, 1)
    around = believed_at(BOX, learned, as_it_counts(setup, learned.surface), new, 1.0)
    itself = believed_at(BOX, learned, learned.surface, new, 1.0)
    np.testing.assert_allclose(around.mean, itself.mean, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(around.std, itself.std, rtol=1e-3)
    missed = learned._replace(ahead=np.full(12, 4.0))
    wide = believed_at(BOX, missed, as_it_counts(setup, missed.surface), new, 1.0)
    np.testing.assert_allclose(wide.std, audit_of(BOX, missed).factor * around.std)


def test_each_trial_is_judged_by_the_belief_it_was_suggested_with():
    study = Study(BOX, random_state=0)
    for _ in range(12):
        trial = study.ask()
        study.tell(trial, bowl(trial.params))
    known = study._log.known(study._log.read())
    whys = [trial.why for trial in study.trials]
    wanted = [
        np.nan if why.noise is None else (trial.value - why.mean) / np.hypot(why.std / (why.widened or 1.0), why.noise)
        for trial, why in zip(study.trials, whys, strict=True)
    ]
    np.testing.assert_allclose(known.ahead, wanted)
    assert np.isfinite(known.ahead).sum() == sum(why.reason in ("explore", "exploit") for why in whys)
    assert np.isfinite(known.ahead).sum() >= 6
    audit = study.audit()
    assert audit.rows == 12
    assert str(audit) in "\n".join(study.report().standing)
