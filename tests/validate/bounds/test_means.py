"""Bounds on means: values by hand, one another, and how often they fail in simulation."""

import numpy as np
import pytest
from scipy import optimize, stats

from credo.validate.bounds import Bernstein, Chernoff, EmpiricalBernstein, Hoeffding
from credo.validate.bounds.means import kl_bernoulli, kl_lower, kl_upper

N, DELTA, TIMES = 60, 0.1, 4000
SOURCES = {"coin": stats.bernoulli(0.05), "fair coin": stats.bernoulli(0.5), "skewed": stats.beta(0.5, 4.0)}


def bound_of(kind, rows, source):
    means, variances = np.mean(rows, axis=1), np.var(rows, axis=1, ddof=1)
    if kind == "Chernoff":
        return Chernoff(means).error(N, DELTA)
    if kind == "EmpiricalBernstein":
        return EmpiricalBernstein(variances).error(N, DELTA)
    return np.full(len(rows), (Hoeffding() if kind == "Hoeffding" else Bernstein(source.var())).error(N, DELTA))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("kind", ["Hoeffding", "Chernoff", "Bernstein", "EmpiricalBernstein"])
def test_they_fail_no_more_often_than_they_say(kind, source):
    drawn = SOURCES[source].rvs(size=(TIMES, N), random_state=0).astype(float)
    off = np.abs(np.mean(drawn, axis=1) - SOURCES[source].mean())
    failures = int(np.sum(off > bound_of(kind, drawn, SOURCES[source])))
    assert stats.binomtest(failures, TIMES, DELTA, alternative="greater").pvalue > 1e-3


def test_relative_entropies_and_their_inverses():
    np.testing.assert_allclose(kl_bernoulli(0.2, 0.5), 0.2 * np.log(0.4) + 0.8 * np.log(1.6))
    q, budget = np.array([0.0, 0.1, 0.6, 1.0]), 0.07
    upper = [optimize.brentq(lambda p, a=a: kl_bernoulli(a, p) - budget, a + 1e-12, 1 - 1e-12) for a in q[:3]]
    np.testing.assert_allclose(kl_upper(q, budget), [*upper, 1.0], rtol=1e-9)
    np.testing.assert_allclose(kl_lower(q, budget), 1.0 - kl_upper(1.0 - q, budget))
    np.testing.assert_allclose(kl_upper(0.0, budget), 1.0 - np.exp(-budget))


def test_which_is_sharper_where():
    assert Chernoff(0.5).error(1000) <= Hoeffding().error(1000)
    assert Bernstein(0.01).error(1000) < 0.4 * Hoeffding().error(1000)
    assert Bernstein(0.01).error(1000) < EmpiricalBernstein(0.01).error(1000)
    np.testing.assert_allclose(Hoeffding(2.0).error(200, 0.05), 2.0 * np.sqrt(np.log(40.0) / 400.0))
    assert EmpiricalBernstein().error(1) == np.inf
