"""Lasso, elastic net and bridge against scikit-learn; their choices, intervals and refusals."""

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.datasets import load_diabetes

from credo.errors import UndefinedError
from credo.infer import folds
from credo.models import Bridge, ElasticNet, Lasso, LinearRegression
from credo.numerics.padding import merge_rows

X, Y = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_coefficients_are_those_of_scikit_learn(fit_intercept):
    w = np.random.default_rng(0).uniform(0.5, 2.0, len(Y))
    for own, peer in (
        (Lasso(alpha=0.3, fit_intercept=fit_intercept), linear_model.Lasso(alpha=0.3)),
        (ElasticNet(alpha=0.01, l1_ratio=0.3, fit_intercept=fit_intercept), linear_model.ElasticNet(alpha=0.01)),
    ):
        peer.set_params(fit_intercept=fit_intercept, tol=1e-12, max_iter=100_000)
        if isinstance(own, ElasticNet):
            peer.set_params(l1_ratio=0.3)
        own.fit(X, Y, sample_weight=w)
        peer.fit(X, Y, sample_weight=w)
        np.testing.assert_allclose(own.coef_, peer.coef_, atol=1e-6 * np.max(np.abs(peer.coef_)))
        np.testing.assert_allclose(own.predict(X), peer.predict(X), rtol=1e-6)
        assert own.certificate_.converged
        assert own.certificate_.error < 1e-10


def test_choices_lie_on_the_path():
    path = Lasso().path(X, Y)
    for by in ("cv", "1se", "aic", "bic"):
        model = Lasso(alpha=by).fit(X, Y)
        at = path.best(by)
        assert model.alpha_ == path.path.penalties[at]
        np.testing.assert_allclose(model.coef_, path.path.coefficients[at])
        assert "chosen" in str(model.certificate_)
    assert Lasso(alpha="1se").fit(X, Y).alpha_ > Lasso(alpha="cv").fit(X, Y).alpha_


def test_a_path_leaves_the_object_as_it_was():
    model = Lasso(alpha=1.0).fit(X[:, :3], Y)
    alphas = [0.1, 2.0, 0.5]
    path = model.path(X, Y, alphas=alphas, folds=None).path
    assert path.penalties.tolist() == sorted(alphas, reverse=True)
    assert model.n_features_in_ == 3


def test_cross_validation_is_scikit_learns_on_the_same_folds():
    (A, y), _, _ = merge_rows(X, Y)
    path = Lasso().path(A, y, n_alphas=20)
    splits = [(np.flatnonzero(~held), np.flatnonzero(held)) for held in folds(len(y), 5)]
    peer = linear_model.LassoCV(cv=splits, alphas=path.path.penalties, tol=1e-10, max_iter=100_000).fit(A, y)
    sizes = [len(test) for _, test in splits]
    np.testing.assert_allclose(path.cv_error, np.average(peer.mse_path_, axis=1, weights=sizes), rtol=1e-6)


def test_bridge_runs_from_many_zeros_to_none():
    zeros = [
        int(np.sum(Bridge(q=q, alpha=a).fit(X, Y).coef_ == 0.0)) for q, a in ((0.5, 30.0), (1.0, 0.3), (2.0, 0.001))
    ]
    assert zeros[0] >= zeros[1] > zeros[2] == 0
    assert Bridge(q=0.5).fit(X, Y).certificate_.kind == "heuristic"
    assert Bridge(q=1.5, alpha="bic").fit(X, Y).certificate_.kind == "bounded"


def test_intervals_cover_where_rows_are_many():
    rng, inside = np.random.default_rng(0), []
    for _ in range(30):
        A = rng.normal(size=(150, 8))
        y = A @ [2.0, 1.0, 0, 0, 0, 0, 0, 0] + rng.normal(size=150)
        model = Lasso(alpha="bic").fit(A[:100], y[:100])
        low, high = model.predict_interval(A[100:], 0.9)
        inside.append(np.mean((low <= y[100:]) & (y[100:] <= high)))
    assert abs(np.mean(inside) - 0.9) < 0.03


@pytest.mark.parametrize(
    ("model", "bend"),
    [
        (Lasso(alpha=0.1), lambda b: 0.0 * b),
        (ElasticNet(alpha=0.1, l1_ratio=0.4), lambda b: 0.06 + 0.0 * b),
        (Bridge(q=1.5, alpha=0.1), lambda b: 0.1 * 0.75 * np.abs(b) ** -0.5),
        (Bridge(q=0.5, alpha=0.1), lambda b: 0.0 * b),
        (Lasso(alpha=0.1, fit_intercept=False), lambda b: 0.0 * b),
    ],
    ids=["lasso", "elastic net", "bridge", "bridge of zeros", "no intercept"],
)
def test_the_interval_knows_the_slopes_that_are_there_as_least_squares_does(model, bend):
    """σ²(1 + 1/n + xᵀ(AᵀA + n P″)⁻¹x) over the columns whose slopes are not zero, x and A less their means."""
    rng = np.random.default_rng(3)
    A, new = 5.0 * bool(model.fit_intercept) + rng.normal(size=(30, 5)), rng.normal(size=(4, 5))
    model.fit(A, A @ [2.0, -1.0, 0.0, 0.0, 0.5] + rng.normal(size=30))
    active = np.flatnonzero(model.coef_)
    center = A[:, active].mean(axis=0) * bool(model.fit_intercept)
    design, at = A[:, active] - center, new[:, active] - center
    gram = design.T @ design + 30.0 * np.diag(bend(model.coef_[active]))
    h = bool(model.fit_intercept) / 30.0 + np.sum(at * np.linalg.solve(gram, at.T).T, axis=1)
    belief = model.predict_dist(new)
    np.testing.assert_allclose(belief.scale, np.sqrt(model.noise_variance_ * (1.0 + h)), rtol=1e-8)
    np.testing.assert_allclose(belief.budget.parameter / belief.budget.noise, h, rtol=1e-8)
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-10)


def test_penalized_fits_refuse_to_speak_and_lasso_offers_debiasing():
    for model in (Lasso(alpha=1.0), ElasticNet(alpha=0.1), Bridge(alpha=1.0)):
        with pytest.raises(UndefinedError, match="penalized"):
            model.fit(X, Y).summary()
    model = Lasso(alpha=0.5).fit(X, Y)
    summary = model.summary(debias=True)
    assert "debiased" in str(summary)
    plain = LinearRegression().fit(X, Y).estimates()["y0"]
    debiased = model.debiased()
    # With 442 rows of ten columns nothing of the bias is left: least squares, with the lasso's noise.
    np.testing.assert_allclose(debiased.values, plain.values[1:], rtol=1e-8)
    ratios = debiased.standard_errors / plain.standard_errors[1:]
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-8)
    assert 1.0 < ratios[0] < 1.1


def test_a_fit_without_residual_degrees_has_no_interval():
    rng = np.random.default_rng(1)
    model = Lasso(alpha=1e-8).fit(rng.normal(size=(10, 30)), rng.normal(size=10))
    with pytest.raises(UndefinedError, match="larger alpha"):
        model.predict_interval(rng.normal(size=(2, 30)))


def test_columns_given_twice_and_constant_ones_are_no_obstacle():
    A = np.column_stack([X[:, :2], X[:, :2], np.ones(len(Y))])
    twice, once = Lasso(alpha=0.5).fit(A, Y), Lasso(alpha=0.5).fit(X[:, :2], Y)
    np.testing.assert_allclose(twice.predict(A), once.predict(X[:, :2]), rtol=1e-6)
    assert twice.coef_[-1] == 0.0
