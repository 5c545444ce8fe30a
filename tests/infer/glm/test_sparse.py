"""Lasso in generalized linear models: peers, conditions of optimality by hand, more columns than rows, limits."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression as Peer

from credo.errors import ConvergenceWarning, NumericalError
from credo.infer import fit_glm, fit_sparse_glm, proximal_newton
from credo.infer.glm import FAMILIES, LINKS, GLMProblem, LinearDesign

rng = np.random.default_rng(0)
N, D = 120, 12
X = rng.normal(size=(N, D)) * np.geomspace(0.3, 3.0, D) + rng.normal(size=D)
BETA = np.r_[1.0, -0.8, 0.5, np.zeros(D - 3)]
ETA = 0.3 + (X - X.mean(axis=0)) @ BETA
OFFSET, W = 0.1 * rng.normal(size=N), rng.integers(1, 4, N).astype(float)
TARGETS = {
    "gaussian": ETA + rng.normal(size=N),
    "bernoulli": (rng.random(N) < 1 / (1 + np.exp(-ETA))).astype(float),
    "poisson": rng.poisson(np.exp(ETA)).astype(float),
    "gamma": rng.gamma(2.0, np.exp(ETA) / 2.0),
    "inverse gaussian": rng.wald(np.exp(ETA), 3.0),
    "negative binomial": rng.negative_binomial(2.0, 2.0 / (2.0 + np.exp(ETA))).astype(float),
}
# By hand: the derivative of −log L in the predictor, for a dispersion of one.
SLOPES = {
    "gaussian": lambda y, eta: eta - y,
    "bernoulli": lambda y, eta: 1 / (1 + np.exp(-eta)) - y,
    "poisson": lambda y, eta: np.exp(eta) - y,
    "gamma": lambda y, eta: 1.0 - y * np.exp(-eta),
    "inverse gaussian": lambda y, eta: np.exp(-eta) - y * np.exp(-2.0 * eta),
    "negative binomial": lambda y, eta: (np.exp(eta) - y) / (1.0 + np.exp(eta)),
}


def posed(family, link=None, *, X=X, y=None, weights=None, offset=None, intercept=True, ridge=0.0):
    y = TARGETS[family] if y is None else y
    n = len(y)
    weights = np.ones(n) if weights is None else weights
    offset = np.zeros(n) if offset is None else offset
    link = FAMILIES[family].link if link is None else LINKS[link]
    return GLMProblem(LinearDesign(X, intercept, offset), y, weights, FAMILIES[family], link, ridge)


def require_optimal(problem, beta, lasso, slope, tolerance=2e-8):
    """The gradient is −λ₁ sign β − λ₂ β where a slope is not zero and within ±λ₁ where it is."""
    first = int(problem.design.intercept)
    eta = np.asarray(problem.design.X @ beta[first:]) + problem.design.offset + (beta[0] if first else 0.0)
    pulls = problem.weights * slope(problem.y, eta)
    gradient, slopes = problem.design.X.T @ pulls + problem.ridge * beta[first:], beta[first:]
    there = slopes != 0.0
    assert np.all(np.abs(gradient[there] + lasso * np.sign(slopes[there])) <= tolerance * lasso)
    assert np.all(np.abs(gradient[~there]) <= (1.0 + tolerance) * lasso)
    if first:
        assert abs(np.sum(pulls)) <= tolerance * lasso


@pytest.mark.parametrize("family", TARGETS)
@pytest.mark.parametrize(("lasso", "ridge", "intercept"), [(8.0, 0.0, True), (1.0, 3.0, True), (3.0, 0.0, False)])
def test_conditions_of_optimality(family, lasso, ridge, intercept):
    problem = posed(family, weights=W, offset=OFFSET, ridge=ridge, intercept=intercept)
    solution = fit_sparse_glm(problem, lasso)
    require_optimal(problem, solution.value.coefficients, lasso, SLOPES[family])
    certificate = solution.certificate
    assert certificate.converged
    if family in ("inverse gaussian", "negative binomial"):
        assert certificate.kind == "heuristic"
        assert certificate.residual < 1e-8
    else:
        assert certificate.kind == "bounded"
        assert certificate.error < 1e-6
    zero = solution.value.coefficients[int(intercept) :] == 0.0
    assert np.any(zero) or lasso < 8.0
    assert solution.value.rank == np.sum(~zero) + intercept
    assert solution.value.degrees == np.sum(W) - solution.value.rank


@pytest.mark.parametrize("family", TARGETS)
def test_more_columns_than_rows(family):
    wide = np.random.default_rng(1).normal(size=(60, 800))
    wide[:, :12] = X[:60]
    problem = posed(family, X=wide, y=TARGETS[family][:60])
    for lasso in (10.0, 2.0):
        found = proximal_newton(problem, lasso)
        assert found.converged
        require_optimal(problem, found.coefficients, lasso, SLOPES[family])
        assert np.count_nonzero(found.coefficients) <= 61


@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_logistic_regression_of_scikit_learn(ratio):
    Z, y = (X - X.mean(axis=0)) / X.std(axis=0), TARGETS["bernoulli"]
    peer = Peer(C=0.2, l1_ratio=ratio, solver="saga", tol=1e-10, max_iter=100_000).fit(Z, y)
    ours = fit_sparse_glm(posed("bernoulli", X=Z, ridge=5.0 * (1.0 - ratio)), 5.0 * ratio).value.coefficients
    np.testing.assert_allclose(ours, np.r_[peer.intercept_, peer.coef_[0]], atol=1e-6)
    np.testing.assert_array_equal(ours[1:] == 0.0, peer.coef_[0] == 0.0)


@pytest.mark.parametrize("family", ["poisson", "gamma"])
def test_glum_finds_the_same(family):
    glum = pytest.importorskip("glum")
    total = np.sum(W)
    peer = glum.GeneralizedLinearRegressor(
        family=family,
        link="log",
        alpha=6.0 / total,
        l1_ratio=0.8,
        gradient_tol=1e-7,
    ).fit(X, TARGETS[family], sample_weight=W, offset=OFFSET)
    ours = fit_sparse_glm(posed(family, weights=W, offset=OFFSET, ridge=0.2 * 6.0), 0.8 * 6.0).value.coefficients
    np.testing.assert_allclose(ours, np.r_[peer.intercept_, peer.coef_], atol=1e-4)


@pytest.mark.slow
def test_skglm_finds_the_same_where_columns_are_many():
    skglm = pytest.importorskip("skglm")
    wide = np.random.default_rng(2).normal(size=(80, 500))
    y = np.where(wide[:, 0] - wide[:, 1] + np.random.default_rng(3).normal(size=80) > 0.0, 1.0, -1.0)
    peer = skglm.SparseLogisticRegression(alpha=5.0 / 80, tol=1e-10, max_iter=200).fit(wide, y)
    ours = fit_sparse_glm(posed("bernoulli", X=wide, y=(y + 1.0) / 2.0), 5.0).value.coefficients
    np.testing.assert_allclose(ours, np.r_[peer.intercept_, peer.coef_.ravel()], atol=1e-6)


@pytest.mark.parametrize("family", TARGETS)
def test_a_large_lasso_leaves_the_null_model(family):
    problem = posed(family, weights=W, offset=OFFSET)
    value = fit_sparse_glm(problem, 1e6).value
    assert np.all(value.coefficients[1:] == 0.0)
    null = fit_glm(problem._replace(design=LinearDesign(np.zeros((N, 0)), True, OFFSET))).value
    np.testing.assert_allclose(value.coefficients[0], null.coefficients[0], rtol=1e-8)
    np.testing.assert_allclose(value.deviance, value.null_deviance, rtol=1e-10)


@pytest.mark.filterwarnings("ignore::credo.errors.ConvergenceWarning")  # Fisher scoring, of an inverse Gaussian
@pytest.mark.parametrize("family", TARGETS)
def test_a_vanishing_lasso_is_none(family):
    problem = posed(family, weights=W, offset=OFFSET)
    ours, none = fit_sparse_glm(problem, 1e-7).value, fit_glm(problem).value
    np.testing.assert_allclose(ours.coefficients, none.coefficients, atol=1e-5)
    np.testing.assert_allclose([ours.dispersion, ours.log_likelihood], [none.dispersion, none.log_likelihood])


def test_weights_are_repetitions():
    y, times = TARGETS["poisson"], W.astype(int)
    weighted = fit_sparse_glm(posed("poisson", weights=W), 5.0).value
    repeated = fit_sparse_glm(posed("poisson", X=np.repeat(X, times, axis=0), y=np.repeat(y, times)), 5.0).value
    np.testing.assert_allclose(weighted.coefficients, repeated.coefficients, atol=1e-9)
    assert weighted.degrees == repeated.degrees
    np.testing.assert_allclose(weighted.log_likelihood, repeated.log_likelihood)


def test_sparse_columns_a_start_and_a_link_that_is_not_canonical():
    thin = np.where(np.random.default_rng(4).random(X.shape) < 0.3, X, 0.0)
    dense = proximal_newton(posed("bernoulli", "probit", X=thin), 2.0)
    for problem in (posed("bernoulli", "probit", X=sparse.csr_array(thin)), posed("bernoulli", "probit", X=thin)):
        found = proximal_newton(problem, 2.0, np.full(D + 1, 0.1))
        assert found.converged
        np.testing.assert_allclose(found.coefficients, dense.coefficients, atol=1e-7)


def test_separated_classes_have_a_maximum_but_one_class_alone_has_none():
    y = (X[:, 0] > 0.0).astype(float)
    solution = fit_sparse_glm(posed("bernoulli", y=y), 0.01)
    assert (solution.value.separated, solution.certificate.converged) == ("none", True)
    for family in ("bernoulli", "poisson"):
        with pytest.warns(ConvergenceWarning, match="one end"):
            assert fit_sparse_glm(posed(family, y=np.zeros(N)), 1.0).value.separated == "complete"


def test_means_that_a_family_does_not_have():
    with pytest.raises(NumericalError, match="fit_intercept=True"):
        fit_sparse_glm(posed("gamma", "identity", intercept=False), 1.0)
