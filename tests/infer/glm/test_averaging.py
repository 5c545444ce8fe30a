"""The rules against adaptive quadrature at the largest standard error they are for, and against Student's t."""

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

from credo.infer.glm.averaging import dispersion_rule, predictor_rule


@pytest.mark.parametrize(("error", "tolerance"), [(0.1, 1e-11), (0.3, 1e-11), (0.5, 1e-11), (1.5, 3e-8), (11.0, 6e-3)])
def test_a_probability_is_averaged_over_its_predictor(error, tolerance):
    rule = predictor_rule(np.array([0.1 * error, error]))
    for middle in (-2.0, 0.3):
        integrand = lambda z: special.expit(middle + error * z) * stats.norm.pdf(z)  # noqa: B023, E731
        expected = integrate.quad(integrand, -12.0, 12.0, epsabs=1e-13, limit=200)[0]
        found = special.expit(middle + error * np.asarray(rule.nodes)) @ np.asarray(rule.weights)
        assert found == pytest.approx(expected, abs=tolerance)


@pytest.mark.parametrize("degrees", [3.0, 5.5, 6.0, 9.0, 40.0, 199.0, 1000.0])
def test_a_normal_of_estimated_dispersion_is_a_student_t(degrees):
    rule = dispersion_rule(degrees)
    for p in (0.8, 0.95):
        missing = lambda t: rule.weights @ stats.norm.cdf(t / np.sqrt(rule.nodes)) - p  # noqa: B023, E731
        assert optimize.brentq(missing, 0.0, 100.0) == pytest.approx(stats.t(degrees).ppf(p), rel=0.01)
