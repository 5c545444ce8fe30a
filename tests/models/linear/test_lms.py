"""Least mean squares as an estimator: in pieces, against least squares, and following a change."""

import numpy as np
import pytest

import credo
from credo.errors import InputError, NumericalError
from credo.models import LMS, LinearRegression

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20_000, 3))
Y = X @ [1.0, -2.0, 0.5] + 3.0 + RNG.normal(size=20_000)


def test_pieces_are_the_same_to_the_bit(tmp_path):
    whole = LMS(averaged=True).fit(X[:1000], Y[:1000])
    piece = LMS(averaged=True).partial_fit(X[:77], Y[:77])
    credo.save(piece, tmp_path / "model.credo")  # and over a file
    piece = credo.load(tmp_path / "model.credo").partial_fit(X[77:1000], Y[77:1000])
    assert np.array_equal(whole.coef_, piece.coef_)
    assert (whole.intercept_, whole.steps_) == (piece.intercept_, piece.steps_)
    assert np.array_equal(whole.fit(X[:1000], Y[:1000]).coef_, piece.coef_)  # fit begins anew


def test_the_mean_converges_to_least_squares():
    """Within the spread that both have about the truth: five standard errors."""
    exact = LinearRegression().fit(X, Y)
    errors = np.sqrt(np.diag(exact.inverse_gram_) * exact.noise_variance_)
    model = LMS(averaged=True, passes=3).fit(X, Y)
    assert np.all(np.abs(model.coef_ - exact.coef_) < 5.0 * errors[1:])
    assert abs(model.intercept_ - exact.intercept_) < 5.0 * errors[0]
    last = LMS().fit(X, Y)
    assert np.linalg.norm(last.coef_ - exact.coef_) < 0.1
    assert model.certificate_.residual < 0.01


def test_a_constant_step_follows_a_change():
    turned = np.concatenate([Y[:10_000], -Y[10_000:]])
    follows = LMS(decay="constant", step=0.02).fit(X, turned)
    np.testing.assert_allclose(follows.coef_, [-1.0, 2.0, -0.5], atol=0.5)
    assert "does not converge" in str(follows.certificate_)
    slow = LMS(decay=1.0).fit(X, turned)
    now = np.array([-1.0, 2.0, -0.5])
    assert np.linalg.norm(slow.coef_ - now) > np.linalg.norm(follows.coef_ - now)


@pytest.mark.parametrize("decay", [0.0, 0.5, 1.2, -1.0, "none"])
def test_steps_that_break_robbins_and_monro_are_refused(decay):
    with pytest.raises(InputError, match="decay"):
        LMS(decay=decay).fit(X, Y)


def test_divergence_leaves_the_model_as_it_was():
    model = LMS(step=0.01).partial_fit(X[:100], Y[:100])
    before = model.coef_
    with pytest.raises(NumericalError, match="LMS: the steps diverge"):
        model.set_params(step=3.0, delay=1e6).partial_fit(X[100:2000], Y[100:2000])
    assert np.array_equal(model.coef_, before)


def test_without_an_intercept_and_no_interval():
    model = LMS(fit_intercept=False).fit(X, Y - 3.0)
    assert model.intercept_ == 0.0
    np.testing.assert_allclose(model.predict(X[:5]), X[:5] @ model.coef_)
    assert not hasattr(model, "predict_dist")
