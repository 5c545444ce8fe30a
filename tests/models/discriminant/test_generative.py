"""What classifiers by Bayes' rule share: priors, log odds, rows out of reach."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from credo.errors import InputError
from credo.models import GaussianDiscriminant, NaiveBayes

X, Y = load_iris(return_X_y=True)
BOTH = pytest.mark.parametrize("cls", [GaussianDiscriminant, NaiveBayes])


@BOTH
def test_given_priors_multiply_the_odds(cls):
    given = np.array([0.2, 0.3, 0.5])
    plain, other = cls().fit(X, Y), cls(priors=given.tolist()).fit(X, Y)
    np.testing.assert_allclose(plain.priors_, np.full(3, 1 / 3))
    expected = plain.predict_proba(X) * given
    np.testing.assert_allclose(other.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), atol=1e-12)
    np.testing.assert_allclose(cls(priors=plain.priors_).fit(X, Y).predict_proba(X), plain.predict_proba(X))


@BOTH
def test_priors_are_weighted_frequencies(cls):
    w = 1.0 + Y
    np.testing.assert_allclose(cls().fit(X, Y, sample_weight=w).priors_, [1 / 6, 2 / 6, 3 / 6])


@BOTH
@pytest.mark.parametrize("bad", [[0.5, 0.5], [0.5, 0.6, -0.1], [1.0, 1.0, 1.0], [0.0, 0.5, 0.5], ["a", "b", "c"]])
def test_bad_priors_are_named(cls, bad):
    with pytest.raises(InputError, match=rf"^{cls.__name__}: priors.*Pass 3 positive numbers"):
        cls(priors=bad).fit(X, Y)


@BOTH
def test_log_probabilities_are_those_of_the_belief_and_stay_finite(cls):
    model = cls().fit(X, Y)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-12)
    far = X * 100.0
    assert np.any(model.predict_proba(far) == 0.0)
    assert np.all(np.isfinite(model.predict_log_proba(far)))


@BOTH
def test_the_variance_is_not_split_and_says_why(cls):
    belief = cls().fit(X, Y).predict_dist(X[:3])
    assert not belief.budget.is_split
    assert "estimated" in belief.budget.advice()


def test_a_row_out_of_reach_is_named():
    far = np.vstack([X[:2], np.full((1, 4), 1e200)])
    for model in (NaiveBayes(), GaussianDiscriminant(covariance="own")):
        with pytest.raises(InputError, match="row 2 of X is too far from every class"):
            model.fit(X, Y).predict_proba(far)
