"""The conjugate posterior against the textbook's joint distribution and against quadrature over the noise."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, linalg, stats

from credo.beliefs import Normal
from credo.errors import InputError, UndefinedError
from credo.infer import LinearPrior, linear_posteriors
from credo.infer.conjugate_linear import _predict, posterior_of_moments
from credo.numerics import moments

A0, B0, S = 1.5, 2.0, 0.7


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(9, 2)) * [1.0, 20.0] + [4.0, -7.0]
    return X, 1.0 + X @ [0.8, 0.05] + rng.normal(size=9)


def fit(X, y, a0=A0, b0=B0, s=S, fit_intercept=True, choose_scale=False, w=None):
    rows = jnp.asarray(np.column_stack([X, y]))
    weights = jnp.ones((1, len(y))) if w is None else jnp.asarray(w)[None]
    return linear_posteriors(rows, weights, LinearPrior(a0, b0, s, fit_intercept, choose_scale))[1]


def prior_covariance(X, s, fit_intercept):
    """Of the regression function at the rows, in units of the noise variance."""
    spread = X.var(axis=0) if fit_intercept else (X**2).mean(axis=0)
    return s**2 * (X / spread) @ X.T


def contrasts(n):
    """Orthonormal columns that do not see the intercept."""
    return linalg.null_space(np.ones((1, n)))


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_evidence_is_the_multivariate_t_density(problem, fit_intercept):
    X, y = problem
    Q = contrasts(9) if fit_intercept else np.eye(9)
    shape = B0 / A0 * (np.eye(Q.shape[1]) + Q.T @ prior_covariance(X, S, fit_intercept) @ Q)
    expected = stats.multivariate_t(shape=shape, df=2 * A0).logpdf(Q.T @ y) - (0.5 * np.log(9) if fit_intercept else 0)
    np.testing.assert_allclose(fit(X, y, fit_intercept=fit_intercept).log_evidence[0], expected, rtol=1e-12)


def test_evidence_under_jeffreys_prior_is_the_integral_over_the_noise(problem):
    X, y = problem
    Q = contrasts(9)
    K = np.eye(8) + Q.T @ prior_covariance(X, S, True) @ Q
    density = lambda t: stats.multivariate_normal(np.zeros(8), np.exp(t) * K).pdf(Q.T @ y)  # noqa: E731
    integral = integrate.quad(density, -15, 25, epsabs=0, epsrel=1e-11, limit=400)[0]
    np.testing.assert_allclose(
        fit(X, y, a0=0.0, b0=0.0).log_evidence[0], np.log(integral) - 0.5 * np.log(9), rtol=1e-10
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_predictive_matches_brute_force(problem, fit_intercept):
    """The textbook: a Gaussian prior on (intercept, slopes) in units of σ², the intercept's so wide that it is flat."""
    X, y = problem
    new = np.array([[3.0, 0.0], [10.0, 50.0]])
    spread = X.var(axis=0) if fit_intercept else (X**2).mean(axis=0)
    design, design_new, prior = X, new, np.diag(spread / S**2)
    if fit_intercept:
        design, design_new = np.column_stack([np.ones(9), X]), np.column_stack([np.ones(2), new])
        prior = linalg.block_diag(0.0, prior)
    precision = design.T @ design + prior
    mean = np.linalg.solve(precision, design.T @ y)
    a = A0 + (9 - fit_intercept) / 2
    b = B0 + 0.5 * (y @ y - mean @ precision @ mean)
    scale = np.sqrt(b / a * (1 + np.einsum("ij,jk,ik->i", design_new, np.linalg.inv(precision), design_new)))
    belief = fit(X, y, fit_intercept=fit_intercept).predict_dist(new)
    np.testing.assert_allclose(belief.loc[0], design_new @ mean, rtol=1e-11)
    np.testing.assert_allclose(belief.scale[0], scale, rtol=1e-10)
    np.testing.assert_allclose(belief.df[0], 2 * a)


def test_chosen_scale_maximizes_the_evidence(problem):
    X, y = problem
    best = fit(X, y, choose_scale=True)
    others = [fit(X, y, s=s).log_evidence[0] for s in np.geomspace(1e-3, 1e3, 60)]
    assert best.log_evidence[0] >= max(others)
    around = [fit(X, y, s=float(best.prior_scale[0]) * f).log_evidence[0] for f in (0.999, 1.001)]
    assert best.log_evidence[0] >= max(around)


def test_replicates_equal_single_fits(problem):
    X, y = problem
    W = 1.0 + np.random.default_rng(0).multinomial(
        9, np.full(9, 1 / 9), size=11
    )  # 18 rows each, so that one shape is compiled
    rows = jnp.asarray(np.column_stack([X, y]))
    _, many = linear_posteriors(rows, jnp.asarray(W), LinearPrior(A0, B0, S, True, True))
    for b in (0, 7, 10):
        repeated = np.repeat(np.arange(9), W[b].astype(int))
        one = fit(X[repeated], y[repeated], choose_scale=True)
        np.testing.assert_allclose(many.predict_dist(X).mean[b], one.predict_dist(X).mean[0], rtol=1e-7)
        np.testing.assert_allclose(many.log_evidence[b], one.log_evidence[0], rtol=1e-10)


def test_exact_fit_has_tiny_noise_and_no_nan():
    X = np.arange(6.0)[:, None]
    posterior = fit(X, 2.0 * X[:, 0] + 1.0, a0=0.0, b0=0.0, choose_scale=True)
    belief = posterior.predict_dist(X)
    np.testing.assert_allclose(belief.mean[0], 2.0 * X[:, 0] + 1.0, rtol=1e-6)
    assert np.all((belief.scale > 0) & (belief.scale < 1e-5))


def test_constant_column_and_constant_target_are_finite():
    X = np.column_stack([np.full(5, 3.0), np.arange(5.0)])
    posterior = fit(X, np.full(5, 2.0), a0=0.0, b0=0.0, choose_scale=True)
    assert np.all(np.isfinite(posterior.predict_dist(X).scale))
    np.testing.assert_allclose(posterior.predict_dist(X).mean[0], 2.0)


def test_budget_is_unsplit_when_the_variance_is_infinite(problem):
    X, y = problem
    few = fit(X[:3], y[:3], a0=0.0, b0=0.0).predict_dist(X)
    assert not few.budget.is_split
    enough = fit(X, y, a0=0.0, b0=0.0).predict_dist(X)
    np.testing.assert_allclose(enough.budget.total, enough.variance, rtol=1e-12)


def test_moments_are_enough(problem):
    X, y = problem
    rows = jnp.asarray(np.column_stack([X, y]))
    one = posterior_of_moments(moments(rows, jnp.ones(9)), LinearPrior(A0, B0, S))
    np.testing.assert_allclose(one.coefficients, fit(X, y).coefficients[0], rtol=1e-12)
    np.testing.assert_allclose(one.intercept, fit(X, y).intercept[0], rtol=1e-12)


@pytest.mark.parametrize(
    "bad", [np.ones((4, 1)), np.ones(2), np.full((1, 2), np.nan)], ids=["columns", "vector", "nan"]
)
def test_rows_that_do_not_fit_are_refused(problem, bad):
    posterior = fit(*problem)
    with pytest.raises(InputError, match="LinearPosterior: X has"):
        posterior.predict_dist(bad)


@pytest.fixture(scope="module")
def many_replicates():
    """More replicates of more columns than are predicted at once, with centers far from zero."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 40)) + 1e3
    rows = jnp.asarray(np.column_stack([X, X @ rng.normal(size=40) + rng.normal(size=60)]))
    return linear_posteriors(rows, jnp.asarray(rng.uniform(0.5, 2.0, size=(14, 60))), LinearPrior(A0, B0, S))[1]


def test_prediction_for_many_replicates_equals_one_after_the_other(many_replicates):
    new = 1e3 + np.random.default_rng(6).normal(size=(5000, 40))  # 5 of the 14 replicates fit into 2**20 numbers
    belief = many_replicates.predict_dist(new)
    assert belief.loc.shape == (14, 5000)
    for b in (0, 4, 5, 13):
        offsets = new - np.asarray(many_replicates.center[b])
        ratio = many_replicates.noise_scale[b] / many_replicates.noise_shape[b]
        spread = 1.0 + many_replicates.level_variance[b] + np.sum((offsets @ many_replicates.root[b]) ** 2, axis=1)
        mean = many_replicates.level[b] + offsets @ many_replicates.coefficients[b]
        np.testing.assert_allclose(belief.loc[b], mean, rtol=1e-11)
        np.testing.assert_allclose(belief.scale[b], np.sqrt(ratio * spread), rtol=1e-11)


def test_memory_for_prediction_does_not_grow_with_the_replicates(many_replicates):
    """What the compiler sets aside beyond the answer; 14 centered copies of the rows are 22 MB, their products too."""
    rows = jnp.zeros((5000, 40))
    compiled = _predict.lower(many_replicates, rows, with_noise=True).compile().compiled
    answer = 14 * 5000 * 8
    assert compiled.memory_analysis().temp_size_in_bytes < 2 * 2**23 + 4 * answer


def test_latent_belief_leaves_the_noise_out(problem):
    X, y = problem
    posterior = fit(X, y)
    about_y, about_f = posterior.predict_dist(X), posterior.posterior(X)
    np.testing.assert_allclose(
        about_y.variance - about_f.variance, posterior.noise_variance.mean[:, None] * np.ones(9), rtol=1e-10
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_known_noise_is_the_normal_of_the_textbook(problem, fit_intercept):
    """Bishop (2006) eq. 3.50, 3.51 and 3.58, with a full prior covariance and a prior mean."""
    X, y = problem
    noise, m0, V = 0.6, np.array([0.5, -0.1]), np.array([[0.5, 0.02], [0.02, 0.01]])
    root = jnp.asarray(np.linalg.cholesky(V) / np.sqrt(noise))
    prior = LinearPrior(fit_intercept=fit_intercept, mean=jnp.asarray(m0), root=root, noise_variance=jnp.asarray(noise))
    posterior = posterior_of_moments(moments(jnp.asarray(np.column_stack([X, y])), jnp.ones(9)), prior)
    A, precision, pull = X, np.linalg.inv(V), np.linalg.solve(V, m0)
    if fit_intercept:
        A, precision, pull = np.column_stack([np.ones(9), X]), linalg.block_diag(0.0, precision), np.r_[0.0, pull]
    covariance = np.linalg.inv(A.T @ A / noise + precision)
    mean = covariance @ (A.T @ y / noise + pull)
    belief = posterior.predict_dist(X)
    assert isinstance(belief, Normal)
    np.testing.assert_allclose(belief.mean, A @ mean, rtol=1e-9)
    np.testing.assert_allclose(belief.variance, noise + np.einsum("ij,jk,ik->i", A, covariance, A), rtol=1e-9)
    np.testing.assert_allclose(belief.budget.noise, noise)
    np.testing.assert_allclose(posterior.posterior(X).variance, belief.variance - noise, rtol=1e-8)
    Q = contrasts(9) if fit_intercept else np.eye(9)
    law = stats.multivariate_normal(Q.T @ X @ m0, noise * np.eye(Q.shape[1]) + Q.T @ X @ V @ X.T @ Q)
    np.testing.assert_allclose(
        posterior.log_evidence, law.logpdf(Q.T @ y) - (0.5 * np.log(9) if fit_intercept else 0.0), rtol=1e-10
    )
    with pytest.raises(UndefinedError, match="is known"):
        _ = posterior.noise_variance


def test_known_noise_evidence_in_one_dimension_is_an_integral(problem):
    X, y = problem
    prior = LinearPrior(prior_scale=2.0, fit_intercept=False, root=jnp.ones((1, 1)), noise_variance=jnp.asarray(0.6))
    posterior = posterior_of_moments(moments(jnp.asarray(np.column_stack([X[:, :1], y])), jnp.ones(9)), prior)
    likelihood = lambda b: np.prod(stats.norm.pdf(y, b * X[:, 0], np.sqrt(0.6)))  # noqa: E731
    density = lambda b: likelihood(b) * stats.norm.pdf(b, 0.0, 2.0 * np.sqrt(0.6))  # noqa: E731
    integral = integrate.quad(density, -10.0, 10.0, points=[float(posterior.coefficients[0])], epsabs=0.0, limit=400)[0]
    np.testing.assert_allclose(posterior.log_evidence, np.log(integral), rtol=1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_short_way_to_the_mean_is_that_of_the_belief(problem, fit_intercept):
    X, y = problem
    posterior = fit(X, y, fit_intercept=fit_intercept)
    np.testing.assert_allclose(posterior.predictive_mean(X), posterior.predict_dist(X).mean, rtol=1e-12)
