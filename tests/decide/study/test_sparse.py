"""The sparse prior against scipy's half-Cauchy, and what it finds among thirty columns of which three matter."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

from credo.beliefs.log_normal import LogNormal
from credo.decide.study.sparse import SparsityPrior, sparse_kernel
from credo.infer.gaussian.paths import sample_paths
from credo.kernels import Matern52, Warp
from credo.models import GPRegressor
from credo.models.gp.defaults import default_kernel
from credo.numerics.constraints import Positive
from credo.numerics.parameters import log_prior
from credo.represent.space import Choice, Real, Space

COLUMNS, SPREAD = 30, float(np.sqrt(1.0 / 12.0))
SPACE = Space({f"x{j}": Real(0, 1) for j in range(COLUMNS)})


def hartmann(rows):
    """Hartmann-3 of the first three columns."""
    A = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
    P = np.array(
        [[0.3689, 0.1170, 0.2673], [0.4699, 0.4387, 0.7470], [0.1091, 0.8732, 0.5547], [0.0381, 0.5743, 0.8828]]
    )
    return -np.exp(-np.sum((rows[:, None, :3] - P) ** 2 * A, axis=2)) @ np.array([1.0, 1.2, 3.0, 3.2])


def waves(rows):
    return np.sin(5.0 * rows[:, 0]) + 4.0 * (rows[:, 1] - 0.5) ** 2 + 1.5 * rows[:, 0] * rows[:, 2]


def scaled_to_dimension():
    """The log-normal prior of Hvarfner et al. (2024), for columns from 0 to 1, in the units here."""
    loc = np.sqrt(2.0) + 0.5 * np.log(COLUMNS) - np.log(SPREAD)
    prior = LogNormal(jnp.asarray(loc), jnp.asarray(np.sqrt(3.0)))
    return Matern52(lengthscale=Positive(jnp.full(COLUMNS, np.exp(loc - 3.0)), prior=prior))


def judged(kernel, function, n, seed, inference="map"):
    """The mean log density of 300 new rows, and how many of the three columns that matter have the least scales."""
    rng = np.random.default_rng(seed)
    X, new = rng.random((n, COLUMNS)), rng.random((300, COLUMNS))
    noise = 0.02 * np.std(function(new))
    y, held_out = function(X) + noise * rng.normal(size=n), function(new) + noise * rng.normal(size=300)
    center, scale = np.mean(y), np.std(y)
    settings = {"n_restarts": 1, "standardize": False, "random_state": 0, "inference": inference}
    model = GPRegressor(kernel=kernel, noise_variance=Positive(0.01), **settings)
    model.fit((X - 0.5) / SPREAD, (y - center) / scale)
    density = np.mean(model.predict_dist((new - 0.5) / SPREAD).log_prob(jnp.asarray((held_out - center) / scale)))
    learnt = model.kernel_.kernel if isinstance(model.kernel_, Warp) else model.kernel_
    return float(density), len(set(np.argsort(np.asarray(learnt.lengthscale))[:3]) & {0, 1, 2}), model


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
def test_the_prior_is_that_of_an_inverse_square_that_is_half_cauchy(scale):
    prior = SparsityPrior(jnp.asarray(scale))
    lengths = np.geomspace(1e-3, 1e3, 13)
    wanted = stats.halfcauchy(scale=scale).logpdf(lengths**-2.0) + np.log(2.0 * lengths**-3.0)
    np.testing.assert_allclose(prior.log_prob(lengths), wanted, rtol=1e-10, atol=1e-10)
    total, _ = integrate.quad(lambda u: float(np.exp(prior.log_prob(np.exp(u)) + u)), -15, 15, limit=200)
    assert total == pytest.approx(1.0, abs=1e-6)


def test_length_scales_share_a_factor_and_have_the_prior_of_both():
    kernel = sparse_kernel(SPACE)
    rows = np.random.default_rng(0).random((4, COLUMNS))
    factor, relative = 0.5 * COLUMNS**0.5, np.ones(COLUMNS)
    plain = Matern52(lengthscale=factor * relative)
    np.testing.assert_allclose(kernel(rows, rows), plain(rows, rows), rtol=1e-12)
    half = lambda length, scale: (  # noqa: E731
        stats.halfcauchy(scale=scale).logpdf(length**-2.0) + np.log(2.0 * length**-3.0)
    )
    of_variance = float(log_prior(Matern52())) - float(log_prior(Matern52(variance=Positive(1.0, prior=None))))
    wanted = COLUMNS * half(1.0, 1.0) + half(factor, 0.1 / 12.0) + of_variance
    assert float(log_prior(kernel)) == pytest.approx(wanted, rel=1e-10)


def test_three_columns_of_thirty_are_found():
    density, found, _ = judged(sparse_kernel(SPACE), hartmann, 60, seed=0)
    assert found == 3
    assert density > -0.5  # that of a standard normal is below -1.4


def test_choices_keep_a_factor_of_their_own():
    space = Space({"a": Real(0, 1), "kind": Choice("x", "y", "z"), "b": Real(0, 1)})
    kernel = sparse_kernel(space)
    rows = np.array([[0.1, 0.0, 0.2], [0.1, 2.0, 0.2], [0.4, 2.0, 0.2]])
    found = np.asarray(kernel(rows, rows))
    assert found[0, 1] == pytest.approx(np.exp(-1.0))
    numbers = Matern52(lengthscale=[0.5 * 2**0.5] * 2)(rows[:, [0, 2]], rows[:, [0, 2]])
    assert found[1, 2] == pytest.approx(float(numbers[1, 2]))
    only = sparse_kernel(Space({"kind": Choice("x", "y")}))
    assert float(only([[0.0]], [[1.0]])[0, 0]) == pytest.approx(np.exp(-1.0))


@pytest.mark.slow
def test_it_predicts_better_than_the_default_and_than_a_prior_scaled_to_the_dimension():
    cases = [(f, n, seed) for f in (hartmann, waves) for n in (30, 60) for seed in range(10, 15)]
    kernels = {"sparse": sparse_kernel(SPACE), "default": default_kernel(COLUMNS), "scaled": scaled_to_dimension()}
    density = {name: np.array([judged(k, *case)[0] for case in cases]) for name, k in kernels.items()}
    for other in ("default", "scaled"):
        gain = density["sparse"] - density[other]
        assert np.mean(gain) > 2.0 * np.std(gain) / len(gain) ** 0.5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::credo.errors.ConvergenceWarning")  # of the factor, some 65 draws are independent
def test_its_parameters_can_be_drawn_which_predicts_no_worse_with_few_rows():
    drawn, _, _ = judged(sparse_kernel(SPACE), hartmann, 30, 0, "nuts")
    at_mode, _, model = judged(sparse_kernel(SPACE), hartmann, 30, 0)
    assert drawn > at_mode - 0.1
    paths = sample_paths(model.posterior_, 3, random_state=0)(np.zeros((2, COLUMNS)))
    assert np.all(np.isfinite(paths))  # its functions can be drawn, too
