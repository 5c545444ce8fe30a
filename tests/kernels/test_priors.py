"""Default priors: their medians and spread as the comments state them, and one for each positive parameter."""

import numpy as np
import pytest
from scipy import stats

from credo.kernels import RBF, priors
from credo.numerics import Positive, constraint_of, declared_parameters, log_prior
from kernels.cases import CASES


@pytest.mark.parametrize(
    ("name", "median", "factor"),
    [
        ("VARIANCE", 1.0, 4.5),
        ("LENGTHSCALE", 1.6, 4.5),
        ("PERIOD", 1.0, 2.7),
        ("BANDWIDTH", 0.097, 4.5),
        ("STEEPNESS", 2.7, 4.5),
        ("SCALE", 1.0, 4.5),
    ],
)
def test_median_and_spread(name, median, factor):
    prior = getattr(priors, name)
    np.testing.assert_allclose(prior.quantile(0.5), median, rtol=0.05)
    np.testing.assert_allclose(prior.quantile(stats.norm.cdf(1.0)), factor * prior.quantile(0.5), rtol=0.01)


def test_all_are_listed():
    assert set(priors.__all__) == {name for name in vars(priors) if name.isupper()}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_positive_parameter_has_a_prior(case):
    for name in declared_parameters(type(case.kernel)):
        constraint = constraint_of(case.kernel, name)
        assert constraint.prior is not None or not isinstance(constraint, Positive), name


def test_they_add_up():
    expected = stats.lognorm.logpdf(0.5, 1.5) + stats.lognorm.logpdf(2.0, 1.5, scale=np.exp(0.5))
    np.testing.assert_allclose(log_prior(RBF(0.5, 2.0)), expected, rtol=1e-13)
