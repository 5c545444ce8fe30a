"""Each link and its inverse, and the slope against finite differences."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.glm.links import LINKS, LogitLink, as_link

MEANS = np.array([0.02, 0.3, 0.5, 0.9, 0.999])


@pytest.mark.parametrize("name", LINKS)
def test_inverse_and_slope(name):
    link = LINKS[name]
    eta = link.predictor(MEANS)
    np.testing.assert_allclose(link.mean(eta), MEANS, rtol=1e-12)
    step = 1e-6 * np.maximum(1.0, np.abs(eta))
    slope = (link.mean(eta + step) - link.mean(eta - step)) / (2 * step)
    np.testing.assert_allclose(link.slope(eta), slope, rtol=1e-6)


def test_the_slope_of_the_logit_keeps_its_digits_far_out():
    np.testing.assert_allclose(LogitLink().slope(np.array([-50.0, 50.0])), np.exp(-50.0), rtol=1e-12)


def test_names():
    assert as_link("logit") == LogitLink() == as_link(LogitLink())
    with pytest.raises(InputError, match="link is 'loggit'"):
        as_link("loggit")
