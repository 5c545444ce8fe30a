import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from families_multivariate import assert_rows_are_beliefs, normals, spd_matrices, vectors
from hypothesis import given, settings

from credo.beliefs import MultivariateNormal, UncertaintyBudget
from credo.beliefs.exponential import ExponentialFamily
from credo.errors import InputError

bregman = eqx.filter_jit(ExponentialFamily.kl)
moments_and_fisher = eqx.filter_jit(lambda b: (b.mean_parameters, b.fisher_information()))


def as_numpy(belief):
    return np.asarray(belief.loc), np.asarray(belief.covariance)


@given(normals)
def test_information_form_is_the_same_belief(belief):
    again = MultivariateNormal.from_information(belief.precision, belief.shift)
    np.testing.assert_allclose(again.loc, belief.loc, atol=1e-9)
    np.testing.assert_allclose(again.covariance, belief.covariance, atol=1e-9)
    loc, covariance = as_numpy(belief)
    np.testing.assert_allclose(belief.precision, np.linalg.inv(covariance), atol=1e-9)
    np.testing.assert_allclose(belief.shift, np.linalg.solve(covariance, loc), atol=1e-9)


@given(normals, vectors(1))
def test_conditional_times_marginal_is_the_joint(belief, values):
    """p(x₀, x₂ | x₁) p(x₁) = p(x), at an arbitrary point."""
    point = np.array([0.4, values[0], -1.2])
    conditional = belief.condition([1], values)
    product = conditional.log_prob(point[[0, 2]]) + belief.marginal([1]).log_prob(values)
    np.testing.assert_allclose(product, belief.log_prob(point), atol=1e-9)


@given(normals, vectors(2), spd_matrices(2), vectors(6))
def test_linear_conditioning_against_the_dense_joint(belief, y, noise, entries):
    """The joint of (x, y) written out, and conditioned on its last two entries through the inverse of the whole."""
    A, b = entries.reshape(2, 3), np.array([0.5, -0.5])
    loc, covariance = as_numpy(belief)
    S = A @ covariance @ A.T + noise
    joint = np.block([[covariance, covariance @ A.T], [A @ covariance, S]])
    precision = np.linalg.inv(joint)
    expected_covariance = np.linalg.inv(precision[:3, :3])
    expected_mean = loc - expected_covariance @ precision[:3, 3:] @ (y - A @ loc - b)
    posterior, log_evidence = belief.condition_linear(A, noise, y, b)
    np.testing.assert_allclose(posterior.covariance, expected_covariance, atol=1e-8)
    np.testing.assert_allclose(posterior.mean, expected_mean, atol=1e-8)
    np.testing.assert_allclose(log_evidence, scipy.stats.multivariate_normal(A @ loc + b, S).logpdf(y), atol=1e-8)


@given(normals, normals, vectors(3))
def test_product_of_two_densities(one, two, x):
    product, log_normalizer = one.product(two)
    np.testing.assert_allclose(
        product.log_prob(x) + log_normalizer, one.log_prob(x) + two.log_prob(x), rtol=1e-8, atol=1e-8
    )


@given(normals, normals)
def test_kl_against_the_textbook_and_the_bregman_form(one, two):
    (m, P), (n, Q) = as_numpy(one), as_numpy(two)
    inverse = np.linalg.inv(Q)
    textbook = 0.5 * (
        np.trace(inverse @ P) - 3 + (n - m) @ inverse @ (n - m) + np.linalg.slogdet(Q)[1] - np.linalg.slogdet(P)[1]
    )
    np.testing.assert_allclose(one.kl(two), textbook, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(bregman(one, two), textbook, rtol=1e-6, atol=1e-8)
    assert 0.0 <= one.kl(one) < 1e-28


def test_kl_of_nearly_equal_beliefs_keeps_its_digits():
    step = 1e-7
    one, two = MultivariateNormal([0.0], [[1.0]]), MultivariateNormal([0.0], [[(1.0 + step) ** 2]])
    np.testing.assert_allclose(one.kl(two), step**2, rtol=1e-5)  # ½ Fisher information (2) times the step squared


@given(normals, vectors(6), vectors(2))
def test_affine_image(belief, entries, b):
    A = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) + 0.2 * entries.reshape(2, 3)
    loc, covariance = as_numpy(belief)
    image = belief.affine(A, b)
    np.testing.assert_allclose(image.mean, A @ loc + b, atol=1e-12)
    np.testing.assert_allclose(image.covariance, A @ covariance @ A.T, atol=1e-12)


@given(normals)
@settings(max_examples=5)
def test_mean_parameters_and_fisher_information(belief):
    """Moments of T(x) = (x, vech xxᵀ) by Isserlis' theorem."""
    loc, P = as_numpy(belief)
    rows, columns = np.tril_indices(3)
    second = P + np.outer(loc, loc)
    mean_parameters, fisher = moments_and_fisher(belief)
    np.testing.assert_allclose(mean_parameters, np.concatenate([loc, second[rows, columns]]), atol=1e-8)
    cross = np.einsum("ai,j->aij", P, loc) + np.einsum("aj,i->aij", P, loc)
    fourth = (
        np.einsum("ik,jl->ijkl", P, P)
        + np.einsum("il,jk->ijkl", P, P)
        + np.einsum("ik,j,l->ijkl", P, loc, loc)
        + np.einsum("il,j,k->ijkl", P, loc, loc)
        + np.einsum("jk,i,l->ijkl", P, loc, loc)
        + np.einsum("jl,i,k->ijkl", P, loc, loc)
    )
    np.testing.assert_allclose(fisher[:3, :3], P, atol=1e-8)
    np.testing.assert_allclose(fisher[:3, 3:], cross[:, rows, columns], atol=1e-7)
    np.testing.assert_allclose(fisher[3:, 3:], fourth[rows, columns][:, rows, columns], atol=1e-6)


def test_maximum_likelihood_is_mean_and_covariance():
    x = np.random.default_rng(0).normal(size=(50, 3)) @ np.diag([1.0, 2.0, 3.0]) + 5.0
    start = MultivariateNormal(np.zeros(3), np.eye(3))
    fitted = start.maximum_likelihood(jnp.mean(start.statistics(x), axis=0))
    np.testing.assert_allclose(fitted.mean, x.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(fitted.covariance, np.cov(x.T, bias=True), rtol=1e-10)
    np.testing.assert_allclose(fitted.with_natural(fitted.natural).covariance, fitted.covariance, rtol=1e-10)
    np.testing.assert_allclose(fitted.exponential_log_prob(x), fitted.log_prob(x), rtol=1e-10)


def batch_of_beliefs():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(4, 3, 6))
    return MultivariateNormal(rng.normal(size=(4, 3)), x @ np.swapaxes(x, -1, -2))


def test_batches_equal_rows():
    rows, i = batch_of_beliefs(), 2
    assert (rows.batch_shape, rows.event_shape) == ((4,), (3,))
    A, noise, y = np.ones((1, 3)), np.eye(1), np.zeros((4, 1))
    posterior, log_evidence = rows.condition_linear(A, noise, y)
    alone = rows[i].condition_linear(A, noise, y[i])
    np.testing.assert_allclose(posterior[i].covariance, alone.posterior.covariance, rtol=1e-10)
    np.testing.assert_allclose(log_evidence[i], alone.log_evidence, rtol=1e-10)
    np.testing.assert_allclose(rows.condition([0], [1.0])[i].mean, rows[i].condition([0], [1.0]).mean, rtol=1e-10)


def test_jit_and_vmap():
    rows = batch_of_beliefs()
    assert_rows_are_beliefs(rows, np.ones((4, 3)))
    conditioned = eqx.filter_jit(eqx.filter_vmap(lambda b: b.condition([1], jnp.zeros(1))))(rows)
    np.testing.assert_allclose(conditioned.covariance, rows.condition([1], [0.0]).covariance, rtol=1e-10)


def test_draws_have_the_moments():
    belief = MultivariateNormal([1.0, -1.0], [[2.0, 0.8], [0.8, 1.0]])
    x = np.asarray(belief.sample(40_000, random_state=0))
    assert x.shape == (40_000, 2)
    np.testing.assert_allclose(x.mean(axis=0), belief.mean, atol=4 * np.sqrt(2.0 / 40_000))
    np.testing.assert_allclose(np.cov(x.T), belief.covariance, atol=4 * np.sqrt(2 * 4.0 / 40_000))


def test_entropy_and_marginals():
    belief = MultivariateNormal([1.0, -1.0], [[2.0, 0.8], [0.8, 1.0]])
    np.testing.assert_allclose(belief.entropy(), scipy.stats.multivariate_normal([1, -1], belief.covariance).entropy())
    np.testing.assert_allclose(belief.marginals().quantile(0.9), scipy.stats.norm([1, -1], [2**0.5, 1]).ppf(0.9))


def test_the_budget_follows_the_marginal():
    budget = UncertaintyBudget(noise=np.array([1.5, 0.6]), parameter=np.array([0.5, 0.4]))
    belief = MultivariateNormal([1.0, -1.0], [[2.0, 0.8], [0.8, 1.0]], budget=budget)
    assert belief.marginal([1]).budget.noise.tolist() == [0.6]
    scalar = belief.with_budget(UncertaintyBudget(noise=0.3, parameter=0.2)).marginal([1, 0])
    np.testing.assert_allclose(scalar.budget.total, [0.5, 0.5], rtol=1e-15)
    rows = MultivariateNormal(np.zeros((3, 2)), np.eye(2), budget=UncertaintyBudget(noise=0.3, parameter=0.7))
    assert rows.marginal([0]).budget.noise.shape == rows.marginal([0]).mean.shape == (3, 1)


def test_tiny_noise_leaves_the_posterior_positive():
    belief = MultivariateNormal([0.0, 0.0], [[1.0, 0.999], [0.999, 1.0]])
    posterior, _ = belief.condition_linear([[1.0, 0.0]], [[1e-13]], [1.0])
    assert np.linalg.eigvalsh(posterior.covariance)[0] > 0


@pytest.mark.parametrize(
    ("loc", "covariance"),
    [
        ([0.0, 0.0], [[1.0, 1.0], [1.0, 1.0]]),
        ([0.0, 0.0], [[1.0, 0.5], [0.0, 1.0]]),
        ([0.0, 0.0], [[1.0, 0.0], [0.0, -1.0]]),
        ([0.0, np.nan], np.eye(2)),
        ([0.0, 0.0], [[np.inf, 0.0], [0.0, 1.0]]),
        ([0.0, 0.0, 0.0], np.eye(2)),
        (0.0, np.eye(2)),
        (["a", "b"], np.eye(2)),
        (np.zeros((0, 2)), np.eye(2)),
    ],
)
def test_bad_parameters_are_refused(loc, covariance):
    with pytest.raises(InputError, match="MultivariateNormal"):
        MultivariateNormal(loc, covariance)


def test_bad_arguments_are_refused():
    belief = MultivariateNormal([0.0, 0.0], np.eye(2))
    with pytest.raises(InputError, match="not finite"):
        belief.condition_linear([[1.0, 0.0]], [[1.0]], [np.nan])
    with pytest.raises(InputError, match="last axes"):
        belief.condition_linear([[1.0, 0.0, 0.0]], [[1.0]], [0.0])
    with pytest.raises(InputError, match="every entry"):
        belief.condition([0, 1], [0.0, 0.0])
    with pytest.raises(InputError, match="precision"):
        MultivariateNormal.from_information([[1.0, 2.0], [2.0, 1.0]], [0.0, 0.0])
    with pytest.raises(InputError, match="covariance"):
        belief.affine([[1.0, 0.0], [2.0, 0.0]])
