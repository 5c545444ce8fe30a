"""Diagnostics against the formulas of Vehtari et al. (2021) written as loops, BlackJAX's, and chains of known worth."""

import jax
import numpy as np
import pytest
from blackjax import diagnostics as peer
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from credo.errors import InputError
from credo.infer import Draws, diagnose, ess_bulk, ess_mean, ess_tail, mcse, rhat


def ar1(phi, shape, seed=0):
    """Stationary AR(1) chains along axis 1 with unit variance: ESS is N (1 − φ) / (1 + φ)."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=shape) * np.sqrt(1.0 - phi**2)
    values = np.empty(shape)
    values[:, 0] = rng.normal(size=(shape[0], *shape[2:]))
    for t in range(1, shape[1]):
        values[:, t] = phi * values[:, t - 1] + noise[:, t]
    return values


def loop_split(x):
    half = x.shape[1] // 2
    return np.array([part for chain in x for part in (chain[:half], chain[len(chain) - half :])])


def loop_normal_scores(x):
    ranks = stats.rankdata(x, method="average").reshape(x.shape)
    return stats.norm.ppf((ranks - 3 / 8) / (x.size + 1 / 4))


def loop_rhat(x):
    """Equations 1 to 4 and section 4.1, for one coordinate."""

    def plain(z):
        n = z.shape[1]
        between = n * np.var([chain.mean() for chain in z], ddof=1)
        within = np.mean([chain.var(ddof=1) for chain in z])
        return np.sqrt(((n - 1) / n * within + between / n) / within)

    halves = loop_split(x)
    folded = np.abs(halves - np.median(halves))
    return max(plain(loop_normal_scores(halves)), plain(loop_normal_scores(folded)))


def loop_ess(z):
    """Equations 10 to 13 with Geyer's initial monotone sequence, for one coordinate of split chains."""
    chains, n = z.shape
    centered = [chain - chain.mean() for chain in z]
    covariance = [np.mean([c[: n - t] @ c[t:] / n for c in centered]) for t in range(n)]
    within = np.mean([chain.var(ddof=1) for chain in z])
    total = (n - 1) / n * within + np.var([chain.mean() for chain in z], ddof=1)
    rho = [1.0] + [1.0 - (within - covariance[t]) / total for t in range(1, n)]
    tau, previous, k = -1.0, np.inf, 0
    while 2 * k + 1 < n and rho[2 * k] + rho[2 * k + 1] > 0:
        previous = min(previous, rho[2 * k] + rho[2 * k + 1])
        tau += 2 * previous
        k += 1
    if 2 * k + 1 < n:
        tau += max(rho[2 * k], 0.0)
    return chains * n / max(tau, 1 / np.log10(chains * n))


CHAINS = {
    "mixed": ar1(0.6, (4, 200, 2)),
    "odd length": ar1(-0.3, (3, 51, 2)),
    "apart": ar1(0.5, (4, 100, 2)) + np.arange(4.0)[:, None, None],
    "of other scales": ar1(0.5, (4, 100, 2)) * np.array([1.0, 1.0, 1.0, 5.0])[:, None, None],
    "one chain": ar1(0.9, (1, 80, 2)),
    "with ties": np.round(ar1(0.5, (2, 60, 2))),
    "short": ar1(0.0, (2, 6, 2)),
}


@pytest.mark.parametrize("name", CHAINS)
def test_the_formulas_of_the_paper(name):
    x = CHAINS[name]
    for j in range(2):
        halves = loop_split(x[..., j])
        np.testing.assert_allclose(rhat(x)[j], loop_rhat(x[..., j]), rtol=1e-12)
        np.testing.assert_allclose(ess_mean(x)[j], loop_ess(halves), rtol=1e-9)
        np.testing.assert_allclose(ess_bulk(x)[j], loop_ess(loop_normal_scores(halves)), rtol=1e-9)
        below = [(halves <= np.quantile(halves, p)).astype(float) for p in (0.05, 0.95)]
        tails = [loop_ess(side) for side in below if not np.all(side)]
        np.testing.assert_allclose(ess_tail(x)[j], min(tails), rtol=1e-9)


@pytest.mark.slow
def test_blackjax_agrees():
    x = CHAINS["mixed"]
    for ours, theirs in ((rhat, peer.rhat), (ess_bulk, peer.ess_bulk), (ess_tail, peer.ess_tail)):
        np.testing.assert_allclose(ours(x), jax.jit(theirs)(x), rtol=1e-9)


@pytest.mark.parametrize("phi", [0.9, 0.5, 0.0, -0.3])
def test_known_effective_sample_size(phi):
    """Mean over 40 coordinates; the estimate of one is off by some 10%, with a bias of a few percent."""
    x = ar1(phi, (4, 1000, 40))
    exact = 4000 * (1.0 - phi) / (1.0 + phi)
    np.testing.assert_allclose(np.mean(ess_mean(x)), exact, rtol=0.07)
    # The ranks of a Gaussian AR(1) have nearly its autocorrelations.
    np.testing.assert_allclose(np.mean(ess_bulk(x)), exact, rtol=0.07)


@pytest.mark.parametrize("phi", [0.8, -0.3])
def test_standard_error_is_the_spread_of_the_mean(phi):
    """2000 replicates: the mean square of mean / mcse is one up to 4 errors of 3% and the error of the mcse."""
    x = ar1(phi, (2, 500, 2000), seed=1)
    z = x.mean(axis=(0, 1)) / mcse(x)
    assert abs(np.mean(z**2) - 1.0) < 0.2


def test_standard_error_of_a_probability():
    x = np.random.default_rng(2).uniform(size=(4, 2500)) < 0.3
    np.testing.assert_allclose(mcse(x), np.sqrt(0.3 * 0.7 / 10_000), rtol=0.1)


def test_mixed_chains_have_rhat_near_one_and_others_do_not():
    assert np.all(rhat(CHAINS["mixed"]) < 1.05)
    assert np.all(rhat(CHAINS["apart"]) > 1.3)
    assert np.all(rhat(CHAINS["of other scales"]) > 1.1)  # equal means: only the folded ranks see it
    drifting = ar1(0.0, (4, 200)) + np.linspace(0.0, 3.0, 200)
    assert rhat(drifting) > 1.2  # equal chains: only splitting sees it


@given(seed=st.integers(0, 20), scale=st.floats(0.1, 10.0))
def test_ranks_do_not_see_monotone_transformations(seed, scale):
    x = ar1(0.5, (3, 40), seed=seed)
    np.testing.assert_allclose(ess_bulk(np.exp(scale * x)), ess_bulk(x), rtol=1e-10)
    np.testing.assert_allclose(mcse(scale * x + 7.0), scale * mcse(x), rtol=1e-8)


def test_coordinates_do_not_see_each_other():
    x = CHAINS["mixed"]
    alone = [diagnose(Draws(x[..., [j]], np.zeros(x.shape[:2]))) for j in range(2)]
    together = diagnose(Draws(x, np.zeros(x.shape[:2])))
    for field in together._fields:
        np.testing.assert_allclose(getattr(together, field), [getattr(a, field)[0] for a in alone], rtol=1e-12)


def test_a_coordinate_that_never_moved():
    x = np.ones((2, 20))
    assert np.isnan(rhat(x))
    assert ess_bulk(x) == ess_tail(x) == ess_mean(x) == 0.0
    assert np.isinf(mcse(x))


def test_chains_that_stand_apart_have_no_worth():
    stuck = np.repeat(np.array([[0.0], [1.0]]), 20, axis=1)
    assert np.isinf(rhat(stuck))
    assert ess_mean(stuck) < 5


@pytest.mark.parametrize("function", [rhat, ess_bulk, ess_tail, ess_mean, mcse])
def test_what_is_no_chain_is_refused(function):
    for bad in (np.zeros(10), np.zeros((2, 3))):
        with pytest.raises(InputError, match="values have shape"):
            function(bad)
    with pytest.raises(InputError, match="NaN or infinite"):
        function(np.full((2, 10), np.nan))
