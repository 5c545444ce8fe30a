"""The quick forms against the general one, and derivatives against finite differences."""

import numpy as np
import pytest

from credo.infer.glm.families import FAMILIES
from credo.infer.glm.links import LINKS
from credo.infer.glm.loss import _general, loss_of

ETA = np.array([-1.3, 0.2, 1.7])
CASES = {
    ("bernoulli", "logit"): np.array([0.0, 1.0, 0.0]),
    ("binomial", "logit"): np.array([0.25, 1.0, 0.5]),
    ("poisson", "log"): np.array([0.0, 3.0, 7.0]),
    ("gamma", "log"): np.array([0.1, 3.0, 7.0]),
    ("negative binomial", "log"): np.array([0.0, 3.0, 7.0]),
    ("bernoulli", "probit"): np.array([0.0, 1.0, 0.0]),
}


@pytest.mark.parametrize(("family", "link"), CASES)
def test_quick_forms_are_the_general_one(family, link):
    y, pair = CASES[family, link], (FAMILIES[family], LINKS[link])
    quick, general = loss_of(*pair), _general(*pair)
    for one, other in zip(quick(y, ETA), general(y, ETA), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("family", "link"), CASES)
def test_the_score_is_minus_the_slope_of_the_value(family, link):
    y, loss = CASES[family, link], loss_of(FAMILIES[family], LINKS[link])
    slope = (loss(y, ETA + 1e-6).value - loss(y, ETA - 1e-6).value) / 2e-6
    np.testing.assert_allclose(loss(y, ETA).score, -slope, rtol=1e-6, atol=1e-9)


def test_saturated_probabilities_have_finite_values_and_impossible_means_infinite_ones():
    far = loss_of(FAMILIES["bernoulli"], LINKS["logit"])
    np.testing.assert_allclose(far(np.array([0.0, 1.0]), np.array([800.0, 800.0])).value, [800.0, 0.0])
    negative = loss_of(FAMILIES["poisson"], LINKS["identity"])
    assert negative(np.array([1.0]), np.array([-2.0])).value[0] == np.inf
