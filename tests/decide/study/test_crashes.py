"""The probability of failing: that of a Gaussian process classifier, and calibrated on a known law."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions.composed import Feasible
from credo.decide.acquisitions.maximize import evaluated
from credo.decide.study import Study
from credo.decide.study.crashes import learn_crashes
from credo.decide.study.known import Known
from credo.models import GPClassifier
from credo.represent.space import Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})


def test_is_the_probability_of_a_classifier_with_the_same_kernel():
    rows = BOX.sample_rows(40, 0)
    fails = rows[:, 0] + 0.3 * rows[:, 1] > 0.7
    surface = learn_crashes(BOX, Known.of(rows[~fails], np.zeros(np.sum(~fails)), failed=rows[fails]), 0)
    new = BOX.sample_rows(30, 1)
    fine = np.exp(evaluated(Feasible(None, (surface,), jnp.zeros(1)), new))
    scaled = (new - np.asarray(surface.shift)) / np.asarray(surface.scale)
    ours = (rows - np.asarray(surface.shift)) / np.asarray(surface.scale)
    peer = GPClassifier(kernel=surface.posterior.kernel, approximation="ep", inference=None, standardize=False)
    np.testing.assert_allclose(fine, peer.fit(ours, fails).predict_proba(scaled)[:, 0], atol=1e-6)
    truth = new[:, 0] + 0.3 * new[:, 1] > 0.7
    assert np.mean((fine < 0.5) == truth) > 0.85


def test_without_failures_or_successes_there_is_nothing_to_learn():
    rows = BOX.sample_rows(5, 0)
    assert learn_crashes(BOX, Known.of(rows, np.zeros(5)), 0) is None
    assert learn_crashes(BOX, Known.of(rows[:0], np.zeros(0), failed=rows), 0) is None


def test_what_settings_decide_is_told_apart_and_chance_still_is_chance():
    """A half of the box that always fails; and every fourth trial that fails wherever it was."""
    rows, new = BOX.sample_rows(30, 0), BOX.sample_rows(200, 1)
    new = new[np.abs(new[:, 0] - 0.5) > 0.15]
    fails, at_random = rows[:, 0] > 0.5, np.arange(30) % 4 == 1
    chances = {}
    for name, failed in (("half", fails), ("random", at_random)):
        for decided in (True, False):
            known = Known.of(rows[~failed], np.zeros(np.sum(~failed)), failed=rows[failed])
            surface = learn_crashes(BOX, known, 0, decided=decided)
            chances[name, decided] = np.exp(evaluated(Feasible(None, (surface,), jnp.zeros(1)), new))
    sharp, blurred = (np.where(new[:, 0] > 0.5, 1.0 - chances["half", each], chances["half", each]) for each in (1, 0))
    assert np.mean(np.log(sharp)) > np.mean(np.log(blurred))
    assert np.mean(sharp) > 0.9
    assert np.mean(chances["random", True]) == pytest.approx(0.75, abs=0.1)


@pytest.mark.slow
def test_crashes_do_not_grow_where_the_best_values_are_next_to_them():
    """The bottom of a bowl is in a disc of a fifth of the box, in which every trial fails."""
    crashed, stated, regrets = np.zeros((5, 30)), np.full((5, 30), np.nan), []
    for seed in range(5):
        study = Study(BOX, random_state=seed)
        for i in range(30):
            trial = study.ask()
            a, b = trial.params["a"], trial.params["b"]
            crashed[seed, i] = (a - 0.65) ** 2 + (b - 0.6) ** 2 < 0.2 / np.pi
            stated[seed, i] = np.nan if trial.why.feasible is None else trial.why.feasible
            if crashed[seed, i]:
                study.tell(trial, failed=True)
            else:
                study.tell(trial, (a - 0.7) ** 2 + (b - 0.6) ** 2)
        regrets.append(study.best.value - ((0.2 / np.pi) ** 0.5 - 0.05) ** 2)
    assert np.mean(crashed[:, 10:]) < 0.7
    assert np.mean(crashed[:, 20:]) < 0.8
    assert np.nanmean(stated) == pytest.approx(1.0 - np.mean(crashed[np.isfinite(stated)]), abs=0.15)
    assert np.median(regrets) < 3e-3
