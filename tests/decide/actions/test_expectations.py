"""Exact expectations: values and masses by hand, mean distances against numerical integration."""

import numpy as np
import pytest
from scipy import integrate, stats

from credo.beliefs import Bernoulli, Beta, Categorical, Empirical, Mixture, Normal
from credo.decide.actions.expectations import class_probabilities, expected_distances, support_of
from credo.errors import UndefinedError


def test_values_and_masses():
    y, weights = support_of(Categorical([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]))
    assert y.tolist() == [[0, 0], [1, 1], [2, 2]]
    np.testing.assert_allclose(weights, [[0.2, 1.0], [0.3, 0.0], [0.5, 0.0]])
    y, weights = support_of(Bernoulli(0.25))
    assert y.tolist() == [0, 1]
    np.testing.assert_allclose(weights, [0.75, 0.25])
    y, weights = support_of(Empirical([[1.0, 2.0], [3.0, 4.0]], [[1.0, 3.0], [1.0, 1.0]]))
    assert y.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    np.testing.assert_allclose(weights, [[0.25, 0.5], [0.75, 0.5]])
    y, weights = support_of(Empirical([[1.0, 2.0], [3.0, 4.0]], event_ndim=1))
    assert y.shape == (2, 2)
    assert weights.shape == (2,)
    assert support_of(Normal(0.0, 1.0)) is None


def test_probabilities_of_classes():
    np.testing.assert_allclose(class_probabilities(Bernoulli([0.2, 0.9])), [[0.8, 0.2], [0.1, 0.9]])
    with pytest.raises(UndefinedError, match="no belief over classes"):
        class_probabilities(Normal(0.0, 1.0))


@pytest.mark.parametrize("a", [-6.0, 0.3, 2.5])
def test_mean_distances_against_integration(a):
    mixture = Mixture([0.3, 0.7], Normal([-1.0, 2.0], [0.5, 1.5]))
    density = {
        "normal": (Normal(1.0, 0.7), stats.norm(1.0, 0.7).pdf),
        "mixture": (mixture, lambda y: 0.3 * stats.norm(-1.0, 0.5).pdf(y) + 0.7 * stats.norm(2.0, 1.5).pdf(y)),
    }
    for belief, pdf in density.values():
        up = integrate.quad(lambda y, pdf=pdf: max(y - a, 0.0) * pdf(y), -20, 20, points=[a, 0.0, 1.0, 2.0], limit=200)[
            0
        ]
        down = integrate.quad(lambda y, pdf=pdf: max(a - y, 0.0) * pdf(y), -20, 20, points=[a, 0.0, 1.0], limit=200)[0]
        np.testing.assert_allclose(expected_distances(belief, np.array(a)), [up, down], rtol=1e-7, atol=1e-12)


def test_mean_distances_of_samples_and_of_none():
    belief = Empirical([[1.0, 2.0, 6.0], [0.0, 0.0, 3.0]])
    up, down = expected_distances(belief, np.array([3.0, 1.0]))
    np.testing.assert_allclose(up, [1.0, 2.0 / 3.0])
    np.testing.assert_allclose(down, [1.0, 2.0 / 3.0])
    assert expected_distances(Beta(2.0, 3.0), np.array(0.5)) is None
