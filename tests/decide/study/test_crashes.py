"""The probability of failing: that of a Gaussian process classifier, and calibrated on a known law."""

import jax.numpy as jnp
import numpy as np

from credo.decide.acquisitions.composed import Feasible
from credo.decide.acquisitions.maximize import evaluated
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
