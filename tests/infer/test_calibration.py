import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import expit, softmax

from credo.infer.calibration import calibrated_probabilities, calibration_slopes

SCORES = st.floats(-1e3, 1e3) | st.sampled_from([0.0, -0.0, 5e-324, -1e-17, 1e-17, 1e200, -1e200])


def test_slopes_are_where_they_were_simulated():
    rng = np.random.default_rng(0)
    score = rng.normal(size=20_000) * 5.0
    y = (rng.random(20_000) < expit(np.where(score > 0.0, 0.6, 0.2) * score)).astype(int)
    np.testing.assert_allclose(calibration_slopes(score, y, np.ones(20_000)), [0.2, 0.6], rtol=0.06)
    scores = rng.normal(size=(20_000, 3))
    y = np.array([rng.choice(3, p=p) for p in softmax(2.0 * scores, axis=1)])
    np.testing.assert_allclose(calibration_slopes(scores, y, np.ones(20_000)), [2.0], rtol=0.05)


def test_slopes_are_the_mode_of_likelihood_and_prior():
    rng = np.random.default_rng(1)
    scores, y, w = rng.normal(size=(30, 3)), rng.integers(0, 3, size=30), rng.integers(1, 4, size=30).astype(float)
    center = -np.log(np.mean(np.abs(scores)))
    loss = lambda t: 0.125 * (t[0] - center) ** 2 - w @ np.log(softmax(np.exp(t[0]) * scores, axis=1)[range(30), y])  # noqa: E731
    expected = np.exp(minimize(loss, [center], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10}).x)
    np.testing.assert_allclose(calibration_slopes(scores, y, w), expected, rtol=1e-4)
    again = calibration_slopes(
        np.repeat(scores, w.astype(int), axis=0), np.repeat(y, w.astype(int)), np.ones(int(w.sum()))
    )
    np.testing.assert_allclose(again, expected, rtol=0.05)


@pytest.mark.parametrize("size", [1e-8, 1e8])
def test_separated_or_useless_scores_keep_slopes_finite(size):
    score = size * np.linspace(-1.0, 1.0, 40)
    for y in ((score > 0.0).astype(int), (score < 0.0).astype(int)):
        slopes = calibration_slopes(score, y, np.ones(40))
        assert np.all((slopes * size > 1e-5) & (slopes * size < 1e5))
    assert np.all(np.isfinite(calibration_slopes(np.zeros(40), (score > 0.0).astype(int), np.ones(40))))


@settings(max_examples=80, deadline=None)
@given(
    arrays(float, st.tuples(st.integers(1, 5), st.integers(3, 4)), elements=SCORES), st.sampled_from([1e-9, 1.0, 1e9])
)
def test_the_most_probable_class_is_the_predicted_one(scores, slope):
    many = calibrated_probabilities(scores, np.array([slope]))
    np.testing.assert_array_equal(np.argmax(many, axis=1), np.argmax(scores, axis=1))
    two = calibrated_probabilities(scores[:, 0], np.array([slope, 2.0 * slope]))
    np.testing.assert_array_equal(np.argmax(two, axis=1), scores[:, 0] > 0.0)
    for p in (many, two):
        assert np.all((p >= 0.0) & (p <= 1.0))
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
