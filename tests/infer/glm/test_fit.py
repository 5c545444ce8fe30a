"""What a fit says of itself: dispersion, likelihoods, separation, rank."""

import numpy as np
import pytest
import statsmodels.api as sm

from credo.errors import ConvergenceWarning, CredoWarning
from credo.infer.glm import FAMILIES, LINKS, GLMProblem, LinearDesign, fit_glm

rng = np.random.default_rng(1)
X = rng.normal(size=(80, 2))
W = rng.integers(1, 3, 80).astype(float)


def fitted(y, family, link=None, weights=W, X=X, offset=None, frequencies=None):
    offset = np.zeros(len(y)) if offset is None else offset
    link = FAMILIES[family].link if link is None else LINKS[link]
    return fit_glm(GLMProblem(LinearDesign(X, True, offset), y, weights, FAMILIES[family], link), frequencies)


def test_dispersion_and_likelihoods_of_a_gamma_are_those_of_statsmodels():
    y = rng.gamma(2.0, np.exp(X @ [0.5, -0.3]) / 2.0)
    offset = rng.normal(size=80) / 5
    peer = sm.GLM(
        y, sm.add_constant(X), family=sm.families.Gamma(sm.families.links.Log()), freq_weights=W, offset=offset
    ).fit(tol=1e-14)
    value = fitted(y, "gamma", offset=offset).value
    assert (value.rank, value.degrees) == (3, peer.df_resid)
    ours = [value.dispersion, value.deviance, value.log_likelihood, value.null_deviance]
    np.testing.assert_allclose(ours, [peer.scale, peer.deviance, peer.llf, peer.null_deviance], rtol=1e-8)


def test_binomial_sizes_are_weights_that_count_no_rows():
    trials = rng.integers(1, 10, 80).astype(float)
    successes = rng.binomial(trials.astype(int), 1 / (1 + np.exp(-X[:, 0])))
    peer = sm.GLM(
        np.column_stack([successes, trials - successes]), sm.add_constant(X), family=sm.families.Binomial()
    ).fit(tol=1e-14)
    value = fitted(successes / trials, "binomial", weights=trials, frequencies=np.ones(80)).value
    np.testing.assert_allclose(value.coefficients, peer.params, rtol=1e-8)
    np.testing.assert_allclose(value.log_likelihood, peer.llf, rtol=1e-10)
    assert value.degrees == 77


def test_the_null_deviance_without_an_offset_is_that_of_the_mean():
    y = rng.poisson(2.0, 80).astype(float)
    peer = sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson(), freq_weights=W).fit()
    np.testing.assert_allclose(fitted(y, "poisson").value.null_deviance, peer.null_deviance, rtol=1e-10)


def test_separated_classes_stop_with_a_warning_and_a_note():
    y = (X[:, 0] > 0).astype(float)
    with pytest.warns(ConvergenceWarning, match="complete separation"):
        solution = fitted(y, "bernoulli")
    assert solution.value.separated == "complete"
    assert not solution.certificate.converged
    assert np.all(np.isfinite(solution.value.coefficients))


def test_a_ridge_ends_the_search_whatever_is_separated():
    y = (X[:, 0] > 0).astype(float)
    design = LinearDesign(X, True, np.zeros(80))
    solution = fit_glm(GLMProblem(design, y, W, FAMILIES["bernoulli"], LINKS["logit"], 1.0))
    assert solution.value.separated == "none"
    assert solution.certificate.converged


def test_a_steep_but_finite_fit_is_not_taken_for_separation():
    x = np.linspace(-1, 1, 80)
    y = (x + 0.05 * rng.normal(size=80) > 0).astype(float)
    x[np.argmax(y)], x[len(y) - np.argmax(1 - y[::-1]) - 1] = 0.05, -0.05  # one on either wrong side
    y_wrong = y.copy()
    y_wrong[[30, 50]] = 1 - y_wrong[[30, 50]]
    solution = fitted(y_wrong, "bernoulli", X=x[:, None])
    assert solution.value.separated == "none"
    assert solution.certificate.converged


def test_kind_says_whether_another_maximum_may_exist():
    y = rng.poisson(2.0, 80).astype(float)
    assert fitted(y, "poisson").certificate.kind == "exact"
    assert fitted(y + 0.5, "gamma", "inverse").certificate.kind == "heuristic"


def test_numbers_that_are_no_counts_are_noted():
    with pytest.warns(CredoWarning, match="80 of 80 targets are not whole numbers"):
        assert "quasi-likelihood" in str(fitted(rng.gamma(2.0, size=80), "poisson").certificate)


@pytest.mark.parametrize("link", ["logit", "probit", "cloglog"])
@pytest.mark.parametrize("seed", [9, 13, 43, 57])
def test_a_group_of_one_class_is_found_with_every_link(link, seed):
    rng = np.random.default_rng(seed)
    rows = 40 if seed % 3 else 10
    A, group = rng.normal(size=(rows, 2)), rng.random(rows) < 0.3
    y = np.where(group, 1.0, rng.random(rows) < 0.5)
    with pytest.warns(ConvergenceWarning, match="separation"):
        solution = fitted(y, "bernoulli", link, np.ones(rows), np.column_stack([A[:, 0], group]))
    assert solution.value.separated != "none"
