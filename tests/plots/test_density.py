"""The density chart against scipy's density and probabilities."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from jax import Array

from chart_specs import specification, table_with
from credo.beliefs import Belief, Bernoulli, Categorical, Empirical, Gibbs, Mixture, Normal
from credo.errors import InputError
from credo.numerics import parameter
from credo.plots import density_chart


def test_the_curve_is_the_density_and_the_shade_the_interval():
    chart = density_chart(Normal(1.0, 2.0), level=0.8)
    table, twin = table_with(chart, "density"), scipy.stats.norm(1.0, 2.0)
    np.testing.assert_allclose(table["density"], twin.pdf(table["x"]), rtol=1e-10)
    assert np.all(np.diff(table["x"]) > 0)
    inside = table["x"][table["inside"]]
    np.testing.assert_allclose([inside.min(), inside.max()], twin.ppf([0.1, 0.9]), rtol=1e-10)
    np.testing.assert_allclose([table["x"].min(), table["x"].max()], twin.ppf([0.001, 0.999]), rtol=1e-10)
    title = specification(chart)["title"]
    assert title["text"] == "Normal(loc=1, scale=2)"
    assert title["subtitle"] == "80 % interval: -1.563 to 3.563"


class Arcsine(Belief):
    """Density 1/π√(x(1−x)), infinite at the ends, where this quantile lands by rounding."""

    low: Array = parameter()

    @property
    def mean(self):
        return self.low + 0.5

    variance = mean

    def log_prob(self, x):
        x = x - self.low
        return -jnp.log(jnp.pi) - 0.5 * jnp.log(x * (1.0 - x))

    def quantile(self, p):
        return self.low + jnp.round(jnp.sin(0.5 * jnp.pi * p) ** 2, 2)

    def draw(self, key, shape):
        return self.quantile(jax.random.uniform(key, shape))


def test_a_density_with_an_infinite_end():
    table = table_with(density_chart(Arcsine(0.0)), "density")
    assert np.all(np.isfinite(table["density"]))
    assert 0.0 < table["x"].min() < table["x"].max() < 1.0


def test_a_discrete_belief_has_a_bar_a_value():
    chart = density_chart(Bernoulli(0.04), x_title="arrivals")
    table = table_with(chart, "probability")
    np.testing.assert_array_equal(table["x"], [0, 1])
    np.testing.assert_allclose(table["probability"], [0.96, 0.04], rtol=1e-10)
    np.testing.assert_array_equal(table["inside"], [True, False])
    assert specification(chart)["mark"]["type"] == "bar"
    assert specification(chart)["encoding"]["x"]["title"] == "arrivals"


def test_a_mixture_is_discrete_when_its_components_are():
    chart = density_chart(Mixture([0.5, 0.5], Bernoulli([0.5, 0.5])))
    np.testing.assert_allclose(table_with(chart, "probability")["probability"], [0.5, 0.5])


def test_classes_have_no_order_and_are_all_shown():
    table = table_with(density_chart(Categorical(jnp.array([0.2, 0.5, 0.3]))), "probability")
    np.testing.assert_allclose(table["probability"], [0.2, 0.5, 0.3], rtol=1e-10)


def test_states_of_a_gibbs_distribution():
    table = table_with(density_chart(Gibbs([0.0, 1.0, 2.0], 2.0)), "probability")
    np.testing.assert_allclose(table["probability"], np.exp([0, -2, -4]) / np.exp([0, -2, -4]).sum(), rtol=1e-10)


def test_weighted_samples_are_a_histogram():
    chart = density_chart(Empirical(np.array([1.5, 2.5, 0.5, 9.0]), np.array([1.0, 1.0, 1.0, 2.0])))
    table = table_with(chart, "weight")
    np.testing.assert_array_equal(table["x"], [1.5, 2.5, 0.5, 9.0])
    np.testing.assert_allclose(table["weight"], [0.2, 0.2, 0.2, 0.4])
    np.testing.assert_array_equal(table_with(chart, "end")["end"], [0.5, 9.0])
    assert specification(chart)["layer"][0]["encoding"]["y"]["aggregate"] == "sum"


def test_a_batch_is_refused():
    with pytest.raises(InputError, match=r"batch shape \(2,\)"):
        density_chart(Normal(jnp.zeros(2), 1.0))
