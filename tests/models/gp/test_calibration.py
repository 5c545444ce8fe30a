"""Intervals over many data sets drawn from a Gaussian process: how often they cover.

At the true parameters at their level. Those at the mode leave the parameters' own uncertainty out, as their certificate
says, and are narrow when rows are few: 87 % instead of 90 % over 1000 data sets of 30 rows, which is what they are held
to here (on the 200 sets below, 82.5 % when first run). Averaged over the parameters it was 90 % over 300.
"""

import numpy as np
import pytest

from credo.kernels import Matern52
from credo.models import GPRegressor
from textbook_gp import matern52

pytestmark = pytest.mark.slow

SETS, LEVEL = 200, 0.9
AT_THE_MODE = 0.87  # measured over 1000 other data sets: short of the level, and said so in the docs
VARIANCE, LENGTHSCALE, NOISE = 4.0, 0.8, 0.25


def data_sets():
    """30 rows and a further one, of one draw from the prior each."""
    rng = np.random.default_rng(7)
    for _ in range(SETS):
        X = rng.uniform(-3.0, 3.0, size=(31, 1))
        covariance = matern52(X, X, VARIANCE, LENGTHSCALE) + NOISE * np.eye(31)
        yield X, np.linalg.cholesky(covariance) @ rng.normal(size=31)


MODELS = {
    "truth": GPRegressor(
        kernel=Matern52(VARIANCE, LENGTHSCALE), noise_variance=NOISE, inference=None, standardize=False
    ),
    "map": GPRegressor(random_state=0),
    "linear mean": GPRegressor(mean="linear", random_state=0),
}


@pytest.mark.parametrize(
    ("name", "expected"), [("truth", LEVEL), ("map", AT_THE_MODE), ("linear mean", AT_THE_MODE)], ids=MODELS.keys()
)
def test_intervals_cover(name, expected):
    """Within 3 standard errors (6.4 to 7.1 points), for a new observation."""
    gp, covered = MODELS[name], 0
    for X, y in data_sets():
        low, high = gp.fit(X[:30], y[:30]).predict_interval(X[30:], LEVEL)
        covered += bool(low[0] <= y[30] <= high[0])
    assert abs(covered / SETS - expected) < 3 * np.sqrt(expected * (1 - expected) / SETS)


def test_leave_one_out_covers_too():
    """At the true parameters every row is predicted by the others: 6000 dependent checks, a wide margin."""
    inside = []
    for X, y in data_sets():
        loo = MODELS["truth"].fit(X[:30], y[:30]).loo_
        low, high = loo.interval(LEVEL)
        inside.append(np.mean((np.asarray(low) <= y[:30]) & (y[:30] <= np.asarray(high))))
    error = np.std(inside) / np.sqrt(SETS)  # of averages of independent data sets
    assert abs(np.mean(inside) - LEVEL) < 3 * error


def test_evidence_prefers_the_true_parameters():
    """On average over data sets, as the expected log density of the truth is the largest."""
    short = GPRegressor(
        kernel=Matern52(VARIANCE, LENGTHSCALE / 2), noise_variance=NOISE, inference=None, standardize=False
    )
    gains = [MODELS["truth"].fit(X, y).log_evidence_ - short.fit(X, y).log_evidence_ for X, y in data_sets()]
    assert np.mean(gains) > 3 * np.std(gains) / np.sqrt(SETS)
