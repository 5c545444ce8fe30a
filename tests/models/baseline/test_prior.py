"""Shares of classes: Laplace's rule, and a budget that agrees with draws from the Dirichlet posterior."""

import numpy as np

from credo.models import PriorClassifier


def test_shares_and_budget_against_draws():
    y = np.repeat([0, 1, 2], [5, 2, 1])
    belief = PriorClassifier().fit(np.zeros((8, 1)), y).predict_dist([[0.0]])
    draws = np.random.default_rng(0).dirichlet([6.0, 3.0, 2.0], size=200_000)
    np.testing.assert_allclose(belief.mean[0], np.mean(draws, axis=0), atol=2e-3)
    np.testing.assert_allclose(belief.budget.parameter[0], np.var(draws, axis=0), rtol=0.02)
    np.testing.assert_allclose(belief.budget.noise[0], np.mean(draws * (1.0 - draws), axis=0), rtol=0.02)
