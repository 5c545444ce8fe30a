import numpy as np
import pytest
import scipy.stats
from families_multivariate import assert_rows_are_beliefs, students, vectors
from hypothesis import given

from credo.beliefs import MultivariateNormal, MultivariateStudentT, UncertaintyBudget
from credo.errors import InputError

JOINT = MultivariateStudentT(5.0, [1.0, -1.0, 0.5], [[2.0, 0.5, 0.2], [0.5, 1.0, -0.3], [0.2, -0.3, 1.5]])


@given(students, vectors(2))
def test_density_against_scipy(belief, x):
    twin = scipy.stats.multivariate_t(np.asarray(belief.loc), np.asarray(belief.shape_matrix), df=float(belief.df))
    np.testing.assert_allclose(belief.log_prob(x), twin.logpdf(x), rtol=1e-10, atol=1e-10)


@given(vectors(3))
def test_conditional_times_marginal_is_the_joint(x):
    product = JOINT.condition([2, 0], x[[2, 0]]).log_prob(x[[1]]) + JOINT.marginal([2, 0]).log_prob(x[[2, 0]])
    np.testing.assert_allclose(product, JOINT.log_prob(x), rtol=1e-10)


def test_marginals_are_students_of_a_number():
    x = np.linspace(-3, 3, 7)
    one_by_one = JOINT.marginals().log_prob(x[:, None])
    for i in range(3):
        np.testing.assert_allclose(JOINT.marginal([i]).log_prob(x[:, None]), one_by_one[:, i], rtol=1e-10)


def test_affine_image_has_the_moments_and_the_tail():
    A, b = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]]), np.array([1.0, 2.0])
    image = JOINT.affine(A, b)
    np.testing.assert_allclose(image.mean, A @ np.asarray(JOINT.mean) + b)
    np.testing.assert_allclose(image.covariance, A @ np.asarray(JOINT.covariance) @ A.T)
    assert image.df == JOINT.df


def test_moments_are_infinite_where_they_do_not_exist():
    low, middle = MultivariateStudentT(1.0, [0.0, 1.0], np.eye(2)), MultivariateStudentT(2.0, [0.0, 1.0], np.eye(2))
    assert np.all(np.isinf(low.mean))
    assert np.all(np.isinf(middle.variance))
    assert np.all(np.isinf(middle.covariance))
    assert middle.mean.tolist() == [0.0, 1.0]


def test_many_degrees_of_freedom_are_normal():
    student = MultivariateStudentT(1e12, JOINT.loc, JOINT.shape_matrix)
    normal = MultivariateNormal(JOINT.loc, JOINT.shape_matrix)
    x = np.random.default_rng(0).normal(size=(20, 3))
    np.testing.assert_allclose(student.log_prob(x), normal.log_prob(x), rtol=1e-10)


def test_draws_have_the_moments():
    belief = MultivariateStudentT(12.0, JOINT.loc, JOINT.shape_matrix)
    x = np.asarray(belief.sample(40_000, random_state=0))
    np.testing.assert_allclose(x.mean(axis=0), belief.mean, atol=4 * np.sqrt(2.4 / 40_000))
    np.testing.assert_allclose(np.cov(x.T), belief.covariance, atol=4 * 2.4 * np.sqrt(3.0 / 40_000))
    tail = scipy.stats.t(12).sf(2.5)
    share = np.mean((x[:, 0] - 1.0) / np.sqrt(2.0) > 2.5)
    assert abs(share - tail) < 4 * np.sqrt(tail / 40_000)


def test_batch_jit_and_vmap():
    rows = MultivariateStudentT([3.0, 5.0], [[0.0, 0.0], [1.0, 1.0]], np.eye(2))
    assert_rows_are_beliefs(rows, np.array([[1.0, 1.0], [0.0, 3.0]]))


@pytest.mark.parametrize(
    ("df", "loc", "shape"),
    [
        (0.0, [0.0, 0.0], np.eye(2)),
        (np.nan, [0.0, 0.0], np.eye(2)),
        (3.0, [0.0], np.eye(2)),
        (3.0, [0.0, 0.0], -np.eye(2)),
    ],
)
def test_bad_parameters_are_refused(df, loc, shape):
    with pytest.raises(InputError, match="MultivariateStudentT"):
        MultivariateStudentT(df, loc, shape)


def test_a_budget_that_counts_for_every_entry_follows_the_marginal():
    budget = JOINT.with_budget(UncertaintyBudget(noise=0.3, parameter=0.2)).marginal([2, 0]).budget
    np.testing.assert_allclose(budget.total, [0.5, 0.5], rtol=1e-15)
