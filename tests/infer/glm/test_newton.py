"""Newton's method against statsmodels, its own gradient, and problems that break it."""

import sys

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.genmod.families import links as sm_links

from credo.errors import NumericalError
from credo.infer.glm import FAMILIES, LINKS, GLMProblem, LinearDesign, newton
from credo.infer.glm.loss import loss_of

rng = np.random.default_rng(0)
N = 300
X = rng.normal(size=(N, 3)) * [1.0, 0.1, 10.0]
ETA = 0.2 + X @ [0.3, -2.0, 0.04]
W = rng.integers(1, 4, N).astype(float)
MEAN = np.exp(ETA)
CASES = {
    ("gaussian", "identity"): (ETA + rng.normal(size=N), sm.families.Gaussian()),
    ("bernoulli", "logit"): ((rng.random(N) < 1 / (1 + np.exp(-ETA))).astype(float), sm.families.Binomial()),
    ("bernoulli", "probit"): (
        (rng.random(N) < 1 / (1 + np.exp(-ETA))).astype(float),
        sm.families.Binomial(sm_links.Probit()),
    ),
    ("bernoulli", "cloglog"): (
        (rng.random(N) < 1 / (1 + np.exp(-ETA))).astype(float),
        sm.families.Binomial(sm_links.CLogLog()),
    ),
    ("poisson", "log"): (rng.poisson(MEAN).astype(float), sm.families.Poisson()),
    ("gamma", "log"): (rng.gamma(2.0, MEAN / 2.0), sm.families.Gamma(sm_links.Log())),
    ("gamma", "inverse"): (rng.gamma(2.0, 0.5 / (4.0 + 0.3 * X[:, 0])), sm.families.Gamma()),
    ("inverse gaussian", "log"): (rng.wald(MEAN, 3.0), sm.families.InverseGaussian(sm_links.Log())),
    ("inverse gaussian", "inverse squared"): (
        rng.wald(1 / np.sqrt(4.0 + 0.3 * X[:, 0]), 3.0),
        sm.families.InverseGaussian(),
    ),
    ("negative binomial", "log"): (
        rng.negative_binomial(1, 1 / (1 + MEAN)).astype(float),
        sm.families.NegativeBinomial(alpha=1.0),
    ),
}


def problem(y, family, link, ridge=0.0, weights=W, offset=None):
    design = LinearDesign(X, True, np.zeros(N) if offset is None else offset)
    return GLMProblem(design, y, weights, FAMILIES[family], LINKS[link], ridge)


@pytest.mark.parametrize(("family", "link"), CASES)
def test_estimates_and_standard_errors_are_those_of_statsmodels(family, link):
    y, peer = CASES[family, link]
    peer = sm.GLM(y, sm.add_constant(X), family=peer, freq_weights=W).fit(tol=1e-14, maxiter=200)
    found = newton(problem(y, family, link))
    assert found.converged
    np.testing.assert_allclose(found.coefficients, peer.params, rtol=1e-6)
    np.testing.assert_allclose(2 * found.value, peer.deviance, rtol=1e-10)
    errors = np.sqrt(np.diag(np.linalg.inv(found.information)) * peer.scale)
    np.testing.assert_allclose(errors, peer.bse, rtol=1e-6)


def test_an_offset_is_a_known_part_of_the_predictor():
    y = CASES["poisson", "log"][0]
    exposure = rng.uniform(0.5, 2.0, N)
    peer = sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson(), offset=np.log(exposure)).fit(tol=1e-14)
    found = newton(problem(y, "poisson", "log", weights=np.ones(N), offset=np.log(exposure)))
    np.testing.assert_allclose(found.coefficients, peer.params, rtol=1e-8)


def test_with_a_ridge_the_penalized_gradient_is_zero():
    y = CASES["bernoulli", "logit"][0]
    given = problem(y, "bernoulli", "logit", ridge=3.0)
    found = newton(given)
    score = loss_of(given.family, given.link)(y, found.predictor).score
    gradient = given.design.against(W * score) - np.r_[0.0, 3.0 * found.coefficients[1:]]
    np.testing.assert_allclose(gradient, 0.0, atol=1e-9)


def test_many_rows_begin_on_some_and_end_at_the_same_maximum(monkeypatch):
    y = CASES["bernoulli", "logit"][0]
    alone = newton(problem(y, "bernoulli", "logit"))
    module = sys.modules["credo.infer.glm.newton"]
    monkeypatch.setattr(module, "_MANY", 100)
    monkeypatch.setattr(module, "_SAMPLE", 60)
    kept = newton(problem(y, "bernoulli", "logit"))
    np.testing.assert_allclose(kept.coefficients, alone.coefficients, rtol=1e-9)
    np.testing.assert_allclose(kept.information, alone.information, rtol=1e-7)


def test_columns_that_repeat_have_a_rank():
    y = CASES["poisson", "log"][0]
    design = LinearDesign(np.column_stack([X, X[:, 0]]), True, np.zeros(N))
    found = newton(GLMProblem(design, y, W, FAMILIES["poisson"], LINKS["log"]))
    assert found.rank == 4
    assert found.converged
    np.testing.assert_allclose(found.predictor, newton(problem(y, "poisson", "log")).predictor, rtol=1e-8)


def test_a_start_outside_the_family_is_an_error_with_a_way_out():
    nothing_to_move = LinearDesign(X[:, :0], False, np.full(N, -100.0))
    with pytest.raises(NumericalError, match="Try the family's own link"):
        newton(GLMProblem(nothing_to_move, np.full(N, 0.5), W, FAMILIES["gamma"], LINKS["inverse squared"]))
