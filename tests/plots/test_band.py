"""The band holds the quantiles of the belief, in the order of x, and says what it cannot draw."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from jax import Array

from chart_specs import specification, table_with
from credo.beliefs import Belief, Bernoulli, LogNormal, Normal
from credo.errors import InputError
from credo.numerics import parameter
from credo.plots import band_chart

X = np.array([2.0, 0.0, 1.0])
LOC, SCALE = np.array([5.0, 1.0, 3.0]), np.array([1.0, 0.5, 2.0])


@pytest.fixture(scope="module")
def chart():
    return band_chart(Normal(LOC, SCALE), X, (X, [4.0, 1.5, 2.0]), title="Heading", x_title="dose", y_title="effect")


def test_the_band_is_the_quantiles(chart):
    table, order = table_with(chart, "inner_low"), np.argsort(X)
    twin = scipy.stats.norm(LOC[order], SCALE[order])
    np.testing.assert_array_equal(table["x"], X[order])
    for name, p in {
        "outer_low": 0.05,
        "inner_low": 0.25,
        "center": 0.5,
        "inner_high": 0.75,
        "outer_high": 0.95,
    }.items():
        np.testing.assert_allclose(table[name], twin.ppf(p), rtol=1e-10)


def test_the_data_are_shown_as_they_are(chart):
    data = table_with(chart, "y")
    np.testing.assert_array_equal(data["x"], X)
    np.testing.assert_array_equal(data["y"], [4.0, 1.5, 2.0])


def test_axes_legend_and_title(chart):
    spec = specification(chart)
    assert spec["title"]["text"] == "Heading"
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "area", "line", "circle"]
    for layer in spec["layer"]:
        assert layer["encoding"]["x"]["title"] == "dose"
        assert layer["encoding"]["y"]["title"] == "effect"
        assert layer["encoding"]["color"]["scale"]["domain"] == ["mean", "50 % interval", "90 % interval", "data"]


def test_other_levels_and_a_skewed_family():
    loc = np.array([0.5, 1.0, 2.0])
    table = table_with(band_chart(LogNormal(loc, 1.0), np.arange(3), levels=(0.95, 0.8)), "center")
    twin = scipy.stats.lognorm(1.0, scale=np.exp(loc))
    np.testing.assert_allclose(table["outer_high"], twin.ppf(0.975), rtol=1e-10)
    np.testing.assert_allclose(table["inner_low"], twin.ppf(0.1), rtol=1e-10)
    np.testing.assert_allclose(table["center"], twin.mean(), rtol=1e-10)


def test_a_discrete_family():
    table = table_with(band_chart(Bernoulli(np.array([0.01, 0.3, 0.99])), np.arange(3)), "center")
    np.testing.assert_array_equal(table["outer_low"], [0, 0, 1])
    np.testing.assert_array_equal(table["outer_high"], [0, 1, 1])


class Cauchy(Belief):
    """A belief whose mean does not exist."""

    loc: Array = parameter()

    @property
    def mean(self):
        return jnp.full(self.batch_shape, jnp.inf)

    variance = mean

    def log_prob(self, x):
        return -jnp.log(jnp.pi * (1.0 + (x - self.loc) ** 2))

    def quantile(self, p):
        return self.loc + jnp.tan(jnp.pi * (p - 0.5))

    def draw(self, key, shape):
        return self.quantile(jax.random.uniform(key, shape + self.batch_shape))


def test_the_median_stands_in_for_an_infinite_mean():
    chart = band_chart(Cauchy(jnp.arange(3.0)), np.arange(3))
    np.testing.assert_allclose(table_with(chart, "center")["center"], np.arange(3.0), atol=1e-12)
    np.testing.assert_allclose(table_with(chart, "center")["inner_high"], np.arange(3.0) + 1.0, atol=1e-12)
    assert specification(chart)["layer"][0]["encoding"]["color"]["scale"]["domain"][0] == "median"


def test_draws_are_the_beliefs_own():
    belief = Normal(LOC, SCALE)
    drawn = table_with(band_chart(belief, samples=4, random_state=3), "y")
    np.testing.assert_array_equal(drawn["y"], np.asarray(belief.sample((4,), 3)).ravel())
    np.testing.assert_array_equal(drawn["x"], np.tile(np.arange(3.0), 4))


def test_functions_are_lines_in_the_order_of_x():
    functions = np.array([[5.0, 1.0, 3.0], [6.0, 2.0, 4.0]])
    chart = band_chart(Normal(LOC, SCALE), X, functions=functions)
    drawn = table_with(chart, "f")
    np.testing.assert_array_equal(drawn["x"], [0.0, 1.0, 2.0, 0.0, 1.0, 2.0])
    np.testing.assert_array_equal(drawn["f"], [1.0, 3.0, 5.0, 2.0, 4.0, 6.0])
    np.testing.assert_array_equal(drawn["draw"], [0, 0, 0, 1, 1, 1])
    (line,) = [layer for layer in specification(chart)["layer"] if layer["encoding"].get("detail")]
    assert line["encoding"]["detail"]["field"] == "draw"
    assert "functions" in line["encoding"]["color"]["scale"]["domain"]


def test_without_x_the_rows_are_numbered():
    chart = band_chart(Normal(LOC, SCALE))
    np.testing.assert_array_equal(table_with(chart, "center")["x"], [0, 1, 2])
    assert specification(chart)["layer"][0]["encoding"]["x"]["title"] == "row"


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"x": [1.0, 2.0]}, "x has 2 rows, but the belief 3"),
        ({"x": [1.0, np.nan, 2.0]}, "not finite"),
        ({"data": [1.0, 2.0]}, "data is a list"),
        ({"data": ([1.0, 2.0], [1.0])}, "2 values of x and 1 of y"),
        ({"data": ([1.0], [np.inf])}, "y of data"),
        ({"levels": (50.0, 90.0)}, "levels"),
        ({"samples": 1000}, "samples=1000"),
        ({"functions": np.zeros((2, 4))}, r"functions have shape \(2, 4\), and the belief 3 rows"),
        ({"functions": np.zeros((51, 3))}, "at most 50"),
        ({"functions": [[0.0, np.nan, 1.0]]}, "functions has 1 values that are not finite"),
        ({"theme": "neon"}, "theme"),
    ],
)
def test_bad_input(arguments, match):
    with pytest.raises(InputError, match=match):
        band_chart(Normal(LOC, SCALE), **arguments)


def test_a_batch_of_batches_is_refused():
    with pytest.raises(InputError, match=r"batch shape \(2, 3\)"):
        band_chart(Normal(jnp.zeros((2, 3)), 1.0))
