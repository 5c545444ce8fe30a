"""PAC-Bayes bounds for Gibbs posteriors over thresholds, by simulation."""

import numpy as np
from scipy import stats

from credo.validate.bounds import Maurer, McAllester

N, DELTA, TIMES = 60, 0.1, 1500


def test_they_fail_no_more_often_than_they_say():
    rng = np.random.default_rng(0)
    grid, drawn = np.linspace(0.0, 1.0, 21), []
    risk = 0.1 + 0.8 * np.abs(grid - 0.5)
    for _ in range(TIMES):
        x = rng.random(N)
        y = (x > 0.5) ^ (rng.random(N) < 0.1)
        seen = np.mean((x[:, None] > grid) != y[:, None], axis=0)
        posterior = np.exp(-N * (seen - np.min(seen)))
        posterior /= np.sum(posterior)
        drawn.append((stats.entropy(posterior, np.full(21, 1 / 21)), posterior @ seen, posterior @ risk))
    divergence, seen, true = np.array(drawn).T
    for bound in (McAllester(divergence), Maurer(divergence, seen)):
        failures = int(np.sum(true - seen > bound.error(N, DELTA)))
        assert stats.binomtest(failures, TIMES, DELTA, alternative="greater").pvalue > 1e-3


def test_relative_entropy_is_never_worse_and_better_where_the_risk_is_small():
    for seen in (0.0, 0.1, 0.5, 0.9):
        assert Maurer(3.0, seen).error(500) <= McAllester(3.0).error(500) + 1e-12
    assert Maurer(3.0, 0.0).error(500) < 0.3 * McAllester(3.0).error(500)
    assert Maurer(3.0).error(7) == 1.0
