"""A mixture of normals against SciPy's densities, and its gradient against differences."""

import numpy as np
import pytest
from scipy import stats

from credo.infer.gaussian.quick_prior import LogPrior

PRIOR = LogPrior(np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([[1.0, 0.5], [2.0, 1.5]]), np.array([0.3, 0.7]))
POINTS = np.array([[0.2, 0.4], [3.0, -2.0], [-4.0, 6.0]])


def test_differences_of_log_densities_are_scipys():
    each = [
        share * np.prod(stats.norm(middle, spread).pdf(POINTS), axis=1)
        for middle, spread, share in zip(PRIOR.middle, PRIOR.spread, PRIOR.shares, strict=True)
    ]
    wanted = np.log(np.sum(each, axis=0))
    found = PRIOR.log_density(POINTS)
    np.testing.assert_allclose(found - found[0], wanted - wanted[0], rtol=1e-10)


@pytest.mark.parametrize("logs", POINTS)
def test_the_loss_is_minus_the_log_density_with_its_gradient(logs):
    value, slope = PRIOR.loss(logs)
    assert value == pytest.approx(-PRIOR.log_density(logs[None])[0])
    wanted = [(PRIOR.loss(logs + step)[0] - PRIOR.loss(logs - step)[0]) / 2e-6 for step in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(slope, wanted, rtol=1e-6, atol=1e-8)


def test_a_search_may_go_eight_spreads_beyond_the_outermost_part():
    np.testing.assert_allclose(PRIOR.bounds, [[-14.0, 18.0], [-13.0, 11.0]])
