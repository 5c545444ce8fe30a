"""Calibration: bands hold at their level, curves equal counts and scikit-learn, errors are named."""

import numpy as np
import pytest
from scipy import stats
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.linear_model import LogisticRegression as PlainLogistic

from credo.errors import InputError
from credo.models import LinearRegression
from credo.validate.calibration import calibration, of_places, pit_band, reliability
from credo.validate.evaluate import evaluate


def test_coverage_is_the_share_of_central_intervals_with_clopper_pearson_bands():
    rng = np.random.default_rng(0)
    pit = rng.random(80)
    found = of_places(pit, np.ones(80))
    for i in (4, 49, 89):
        k = np.sum((pit >= 0.5 - found.levels[i] / 2) & (pit <= 0.5 + found.levels[i] / 2))
        assert found.coverage[i] == pytest.approx(k / 80)
        band = stats.binomtest(int(k), 80).proportion_ci(0.95, method="exact")
        assert (found.low[i], found.high[i]) == pytest.approx((band.low, band.high))
    counts, low, high = found.histogram(8)
    assert np.sum(counts) == 80
    assert (low, high) == (stats.binom.ppf(0.025, 80, 1 / 8), stats.binom.ppf(0.975, 80, 1 / 8))


@pytest.mark.parametrize("n", [30, 500])
def test_the_band_of_the_transform_holds_everywhere_at_once(n):
    """2000 uniform samples, of which one in twenty leaves it somewhere: Monte Carlo error 0.5 %."""
    rng = np.random.default_rng(1)
    low, high = pit_band(n)
    at = np.arange(1, 100) / 100
    samples = np.sort(rng.random((2000, n)), axis=1)
    ecdf = np.stack([np.searchsorted(sample, at, side="right") for sample in samples]) / n
    inside = np.all((ecdf >= low) & (ecdf <= high), axis=1)
    assert 0.93 < np.mean(inside) < 0.985  # counts of few rows are coarse, which errs on the safe side


def test_a_wrong_scale_leaves_the_band():
    rng = np.random.default_rng(0)
    z = rng.normal(size=400)
    assert of_places(stats.norm.cdf(z), np.ones(400)).uniform
    assert not of_places(stats.norm.cdf(1.5 * z), np.ones(400)).uniform


def test_the_diagram_is_isotonic_and_its_errors_are_counted_by_hand():
    rng = np.random.default_rng(0)
    stated = np.round(rng.random(300), 2)
    happened = rng.random(300) < stated
    found = reliability(stated, happened)
    theirs = IsotonicRegression(y_min=0, y_max=1).fit(stated, happened)
    np.testing.assert_allclose(found.happened, theirs.predict(found.stated), atol=1e-12)
    gaps = [
        abs(np.mean(stated[bin_]) - np.mean(happened[bin_])) * np.sum(bin_) / 300
        for k in range(10)
        if np.any(bin_ := (np.minimum((stated * 10).astype(int), 9) == k))
    ]
    assert found.binned_error == pytest.approx(np.sum(gaps))
    assert found.error == pytest.approx(np.mean(np.abs(theirs.predict(stated) - stated)))


def test_the_band_of_the_diagram_holds_where_probabilities_are_right():
    """Pointwise 95 %, over 200 diagrams, of the probabilities from 0.2 to 0.8."""
    rng = np.random.default_rng(0)
    held = []
    for _ in range(60):
        stated = np.round(rng.random(150), 1)
        found = reliability(stated, rng.random(150) < stated)
        middle = (found.stated > 0.15) & (found.stated < 0.85)
        held.append(np.mean(((found.happened >= found.low) & (found.happened <= found.high))[middle]))
    assert np.mean(held) == pytest.approx(0.95, abs=0.03)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 2))
    return X, X @ [1.0, 1.0] + rng.normal(size=240)


def test_of_an_evaluation_of_numbers(table):
    X, y = table
    result = evaluate([LinearRegression(), PlainRegression()], X, y, scores="squared", random_state=0)
    found = calibration(result)
    assert found.uniform
    assert found.sharpness == pytest.approx(1.0, abs=0.15)
    assert found.pit.shape == (240,)
    with pytest.raises(InputError, match="LinearRegression 2 stated no probabilities"):
        calibration(result, "LinearRegression 2")


def test_of_an_evaluation_of_classes(table):
    X, y = table
    two = evaluate(PlainLogistic(), X, np.where(y > 0, "up", "low"), random_state=0)
    up, low = calibration(two), calibration(two, label="low")
    np.testing.assert_allclose(np.sort(1.0 - up.stated), low.stated, atol=1e-12)
    assert up.error == pytest.approx(low.error, abs=1e-9)
    three = evaluate(PlainLogistic(), X, np.digitize(y, [-1.0, 1.0]), random_state=0)
    assert np.all(calibration(three).stated >= 1.0 / 3.0)
    with pytest.raises(InputError, match="Classes are: low, up"):
        calibration(two, label="middle")
