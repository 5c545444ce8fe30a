"""Maximum likelihood in natural form: from far away, at the boundary, inside jit. Laws: `test_exponential_laws`."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs import Beta, Binomial, Exponential, Gamma, NegativeBinomial
from credo.beliefs.exponential import newton
from credo.errors import InputError

FIRST = jnp.array([1e-3, 0.1, 1.0, 50.0, 1e4, 1e5])
SECOND = jnp.array([1e-4, 1.0, 1e3, 1e-6, 10.0, 1e6])


@pytest.mark.parametrize("family", [Gamma, Beta], ids=lambda f: f.__name__)
def test_newton_converges_from_many_orders_of_magnitude_away(family):
    truth = family(FIRST, SECOND)
    for start in ((1.0, 1.0), (1e-3, 1e3), (1e4, 1e4), (1e3, 1e-3)):
        found = family(*start).maximum_likelihood(truth.mean_parameters)
        np.testing.assert_allclose(
            found.natural, truth.natural, rtol=2e-5
        )  # 1e5 is told from the data to 1e-10 of 1e5²
        np.testing.assert_allclose(found.mean_parameters, truth.mean_parameters, rtol=1e-9)


@pytest.mark.parametrize("statistics", [[np.log(2.0), 2.0], [5.0, 2.0], [np.nan, 1.0]])
def test_statistics_that_no_member_has_are_refused(statistics):
    with pytest.raises(InputError, match="no member"):
        Gamma(1.0, 1.0).maximum_likelihood(jnp.array(statistics))


def test_maximum_likelihood_inside_jit():
    target = Gamma(3.0, 0.5).mean_parameters
    found = jax.jit(lambda t: Gamma(1.0, 1.0).maximum_likelihood(t).natural)(target)
    np.testing.assert_allclose(found, [3.0, -0.5], rtol=1e-8)


def test_newton_on_a_function_with_a_wall():
    """x − log x over x > 0 has its minimum at one, and a full step from far on the right leaves the domain."""
    function = lambda eta: jnp.where(eta[..., 0] > 0, eta[..., 0] - jnp.log(jnp.abs(eta[..., 0])), jnp.inf)  # noqa: E731
    found, decrement = newton(function, jnp.array([[1e6], [1e-6], [0.9]]))
    np.testing.assert_allclose(found[:, 0], 1.0, rtol=1e-12)
    assert np.all(np.asarray(decrement) < 1e-20)


def test_divergence_of_exponentials_by_hand():
    np.testing.assert_allclose(Exponential(2.0).kl(Exponential(3.0)), np.log(2 / 3) + 3 / 2 - 1, rtol=1e-12)


def test_divergence_batches():
    first = Gamma(jnp.array([1.0, 2.0]), 1.5)
    rows = [Gamma(shape, 1.5).kl(Gamma(2.0, 1.0)) for shape in (1.0, 2.0)]
    np.testing.assert_allclose(first.kl(Gamma(2.0, 1.0)), rows, rtol=1e-12)


@pytest.mark.parametrize(
    ("belief", "other"),
    [
        (Binomial(5, 0.3), Binomial(7, 0.3)),
        (NegativeBinomial(2.0, 0.3), NegativeBinomial(3.0, 0.3)),
        (Gamma(2.0, 1.0), Beta(2.0, 1.0)),
    ],
    ids=["trials", "successes", "family"],
)
def test_divergence_to_another_family_is_refused(belief, other):
    with pytest.raises(InputError, match="another family"):
        belief.kl(other)
