"""Normal classes: densities, shrinkage, ranks."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_wine

from credo.errors import InputError
from credo.infer import class_means, ledoit_wolf_shrinkage, normal_classes

X, Y = load_wine(return_X_y=True)
NAMES = ["a", "b", "c"]
W = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float)


def textbook_covariance(rows, shrinkage):
    covariance = np.cov(rows, rowvar=False, ddof=0)
    return (1.0 - shrinkage) * covariance + shrinkage * np.diag(np.diag(covariance))


def contrasts(scores):
    return scores - scores[:, :1]


@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0])
def test_scores_are_log_densities(shrinkage):
    fitted = normal_classes(X, Y, W, NAMES, own=True, shrinkage=shrinkage)
    repeated, labels = np.repeat(X, W.astype(int), axis=0), np.repeat(Y, W.astype(int))
    densities = [
        multivariate_normal(rows.mean(axis=0), textbook_covariance(rows, shrinkage)).logpdf(X)
        for rows in (repeated[labels == k] for k in range(3))
    ]
    np.testing.assert_allclose(contrasts(fitted.scores(X)), contrasts(np.stack(densities, axis=1)), rtol=1e-8)


def test_one_covariance_is_pooled_and_scores_are_linear():
    fitted = normal_classes(X, Y, np.ones(len(Y)), NAMES, own=False, shrinkage=0.0)
    pooled = sum(np.sum(Y == k) * np.cov(X[Y == k], rowvar=False, ddof=0) for k in range(3)) / len(Y)
    np.testing.assert_allclose(fitted.covariances, pooled[None], rtol=1e-10)
    densities = [multivariate_normal(X[Y == k].mean(axis=0), pooled).logpdf(X) for k in range(3)]
    np.testing.assert_allclose(contrasts(fitted.scores(X)), contrasts(np.stack(densities, axis=1)), rtol=1e-8)
    form = fitted.logistic_form(np.log([0.2, 0.3, 0.5]))
    lines = X @ form.coef.T + form.intercept
    np.testing.assert_allclose(contrasts(lines), contrasts(fitted.scores(X) + np.log([0.2, 0.3, 0.5])), rtol=1e-8)


def test_shrinkage_is_that_of_scikit_learn():
    rows = X[Y == 1] - X[Y == 1].mean(axis=0)
    expected = ledoit_wolf(rows / rows.std(axis=0), assume_centered=True)[1]
    assert 0.0 < expected < 1.0
    assert ledoit_wolf_shrinkage(rows, np.ones(len(rows))) == pytest.approx(expected, rel=1e-10)
    twice = ledoit_wolf_shrinkage(np.repeat(rows, 2, axis=0), np.ones(2 * len(rows)))
    assert ledoit_wolf_shrinkage(rows, np.full(len(rows), 2.0)) == pytest.approx(twice, rel=1e-12)
    assert ledoit_wolf_shrinkage(rows[:, :1], np.ones(len(rows))) == 1.0


def test_shrinkage_helps_where_rows_are_few_and_goes_away_where_they_are_many():
    """Over simulated tables the squared error of correlations is smaller than with none, and than with all of it."""
    rng = np.random.default_rng(1)
    truth = 0.3 + 0.7 * np.eye(8)

    def draw(n):
        rows = rng.multivariate_normal(np.zeros(8), truth, size=n)
        return rows - rows.mean(axis=0)

    errors = np.zeros(3)
    for _ in range(100):
        rows = draw(15)
        found = np.corrcoef(rows, rowvar=False)
        shares = (0.0, ledoit_wolf_shrinkage(rows, np.ones(15)), 1.0)
        errors += [np.sum(((1.0 - share) * found + share * np.eye(8) - truth) ** 2) for share in shares]
    assert errors[1] < 0.8 * min(errors[0], errors[2])
    assert ledoit_wolf_shrinkage(draw(20_000), np.ones(20_000)) < 0.01


def test_residuals_of_a_constant_column_are_zero():
    rows = np.column_stack([np.full(7, 0.1), np.arange(7.0), np.where(np.arange(7) < 3, 0.1, 0.7)])
    found = class_means(rows, np.array([0, 0, 0, 1, 1, 1, 1]), np.full(7, 0.3), 2)
    assert found.varying.tolist() == [False, True, True]
    assert not np.any(found.residuals[:, [0, 2]])
    np.testing.assert_allclose(found.means[:, 2], [0.1, 0.7], rtol=1e-15)
    np.testing.assert_allclose(found.counts, [0.9, 1.2])


@pytest.mark.parametrize("own", [False, True])
def test_what_no_row_varies_in_changes_nothing(own):
    plain = X[:, :4]
    more = np.column_stack([plain, np.full(len(Y), 3.0), plain[:, 0], plain[:, 1] - 2.0 * plain[:, 2]])
    expected = normal_classes(plain, Y, W, NAMES, own=own, shrinkage=0.0)
    found = normal_classes(more, Y, W, NAMES, own=own, shrinkage=0.0)
    assert (expected.rank, found.rank, found.held) == (4, 4, 0)
    np.testing.assert_allclose(contrasts(found.scores(more)), contrasts(expected.scores(plain)), atol=1e-8)


def test_nothing_varies():
    found = normal_classes(np.ones((6, 2)), np.array([0, 1] * 3), np.ones(6), ["a", "b"], own=True, shrinkage=0.0)
    assert found.rank == 0
    assert not np.any(found.scores(np.zeros((3, 2))))


@pytest.mark.parametrize("own", [False, True])
def test_units_do_not_matter(own):
    units = 10.0 ** np.linspace(-80, 80, X.shape[1])
    plain = normal_classes(X, Y, W, NAMES, own=own, shrinkage=0.2).scores(X)
    scaled = normal_classes(X * units, Y, W, NAMES, own=own, shrinkage=0.2).scores(X * units)
    np.testing.assert_allclose(contrasts(scaled), contrasts(plain), rtol=1e-8, atol=1e-8)


def test_a_class_far_off_takes_no_digits_from_the_others():
    rng = np.random.default_rng(2)
    codes = np.repeat([0, 1, 2], 20)
    rows = rng.normal(size=(60, 2)) + np.array([0.0, 1.0, 1e7])[codes][:, None]
    found = normal_classes(rows, codes, np.ones(60), NAMES, own=False, shrinkage=0.0)
    assert found.held == 0
    scores, covariance = found.scores(rows[:40]), found.covariances[0]
    first, second = (rows[codes == k].mean(axis=0) for k in (0, 1))
    expected = (rows[:40] - 0.5 * (first + second)) @ np.linalg.solve(covariance, second - first)
    np.testing.assert_allclose(scores[:, 1] - scores[:, 0], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(np.argmax(found.scores(rows[40:]), axis=1), 2)


def test_separating_directions_are_held_or_refused():
    rows, codes = X[::9], Y[::9]
    held = normal_classes(rows, codes, np.ones(len(codes)), NAMES, own=False, shrinkage=0.0)
    assert held.rank == X.shape[1]
    assert held.held == 0  # twenty rows, seventeen degrees
    few, their = X[::15], Y[::15]
    held = normal_classes(few, their, np.ones(len(their)), NAMES, own=False, shrinkage=0.0)
    assert held.held == 2  # twelve rows span eleven directions, nine of them inside classes
    np.testing.assert_array_equal(np.argmax(held.scores(few), axis=1), their)
    with pytest.raises(InputError, match=r"^normal_classes: .* rank .* Try shrinkage=0\.1"):
        normal_classes(few, their, np.ones(len(their)), NAMES, own=True, shrinkage=0.0)
    assert normal_classes(few, their, np.ones(len(their)), NAMES, own=True, shrinkage=0.1).rank == X.shape[1]


def test_too_few_rows_are_named():
    with pytest.raises(InputError, match=r"not inside class c \(1 row\)\..*covariance=\"shared\""):
        normal_classes(X[:5], np.array([0, 0, 1, 1, 2]), np.ones(5), NAMES, own=True, shrinkage=0.1)
    with pytest.raises(InputError, match=r"no two rows of a class differ\..*Pass more rows"):
        normal_classes(X[:3], np.array([0, 1, 2]), np.ones(3), NAMES, own=False, shrinkage=0.1)
    constant = np.column_stack([np.arange(6.0), [1.0, 1.0, 1.0, 2.0, 3.0, 4.0]])
    with pytest.raises(InputError, match=r"column 1 varies, but not inside class a \(3 rows\)\..*drop the column"):
        normal_classes(constant, np.repeat([0, 1], 3), np.ones(6), ["a", "b"], own=True, shrinkage=0.1)
