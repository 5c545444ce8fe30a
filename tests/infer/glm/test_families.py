"""Each family against the belief it names: density, variance, deviance."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.glm.families import FAMILIES, NegativeBinomialFamily, PoissonFamily, as_family

MEANS = np.array([0.3, 0.6, 0.9])
TARGETS = {
    "gaussian": np.array([-1.0, 0.2, 2.0]),
    "bernoulli": np.array([0.0, 1.0, 1.0]),
    "binomial": np.array([0.0, 0.4, 1.0]),
    "poisson": np.array([0.0, 1.0, 4.0]),
    "gamma": np.array([0.1, 0.6, 3.0]),
    "inverse gaussian": np.array([0.1, 0.6, 3.0]),
    "negative binomial": np.array([0.0, 1.0, 4.0]),
}
SIZES = {name: np.full(3, 5.0 if name == "binomial" else 1.0) for name in FAMILIES}
every_family = pytest.mark.parametrize("name", FAMILIES)


def dispersion(family):
    return 1.0 if family.known_dispersion else 0.7


@every_family
def test_density_and_moments_are_those_of_the_belief(name):
    family, y, size = FAMILIES[name], TARGETS[name], SIZES[name]
    phi = dispersion(family)
    belief = family.belief(MEANS, phi, size)
    scale = size if name == "binomial" else 1.0  # that belief is about a number, y is a fraction
    np.testing.assert_allclose(family.log_density(y, MEANS, phi, size), belief.log_prob(scale * y), rtol=1e-10)
    np.testing.assert_allclose(belief.mean, scale * MEANS, rtol=1e-12)
    np.testing.assert_allclose(belief.variance, scale**2 * phi * family.variance(MEANS) / size, rtol=1e-12)


@every_family
def test_deviance_is_twice_the_likelihood_ratio_to_a_perfect_mean(name):
    family, y, size = FAMILIES[name], TARGETS[name], SIZES[name]
    phi = dispersion(family)
    perfect = np.clip(y, 1e-12, 1 - 1e-12) if name in ("bernoulli", "binomial") else np.where(y == 0.0, 1e-12, y)
    ratio = family.log_density(y, perfect, phi, size) - family.log_density(y, MEANS, phi, size)
    np.testing.assert_allclose(size * family.deviance(y, MEANS), 2 * phi * ratio, rtol=1e-8, atol=1e-9)


@every_family
def test_starting_means_are_inside_and_the_link_is_finite_there(name):
    family, y = FAMILIES[name], TARGETS[name]
    start = family.start(y, float(np.mean(y)))
    assert np.all(family.allows(start))
    assert np.all(np.isfinite(family.link.predictor(start)))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("bernoulli", 0.5),
        ("binomial", 1.5),
        ("poisson", -1.0),
        ("gamma", 0.0),
        ("inverse gaussian", -2.0),
        ("negative binomial", -1.0),
        ("gaussian", np.inf),
    ],
)
def test_targets_outside_the_support_are_known(name, wrong):
    assert not FAMILIES[name].holds(np.array([wrong]))[0]
    assert np.all(FAMILIES[name].holds(TARGETS[name]))


def test_names_and_excess():
    assert as_family("poisson") == PoissonFamily() == as_family(PoissonFamily())
    with pytest.raises(InputError, match="family is 'poison'"):
        as_family("poison")
    with pytest.raises(InputError, match="excess is 0"):
        NegativeBinomialFamily(0)
