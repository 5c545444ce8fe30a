"""The slice sampler: exact invariance, widths, limits."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.errors import ConvergenceWarning, InputError
from credo.infer import mcse, slice_sample

quietly = pytest.mark.filterwarnings("ignore::credo.errors.ConvergenceWarning")


def two_humps(x, shared):
    """An exponential coordinate with a wall at zero, and one of two humps: neither has a Gaussian's slices."""
    wall = jnp.where(x[0] > 0.0, -x[0], -jnp.inf)
    return wall + jnp.logaddexp(-0.5 * (x[1] - 2.0) ** 2, -2.0 * (x[1] + 2.0) ** 2)


def exact_two_humps(count, rng):
    """Weights of the humps are as their widths, one and a half."""
    left = rng.uniform(size=count) < 1.0 / 3.0
    humps = np.where(left, rng.normal(-2.0, 0.5, size=count), rng.normal(2.0, 1.0, size=count))
    return np.stack([rng.exponential(size=count), humps], axis=1)


def cdf_of_humps(x):
    return stats.norm.cdf(x, -2.0, 0.5) / 3.0 + stats.norm.cdf(x, 2.0, 1.0) * 2.0 / 3.0


def scaled_normal(x, scale):
    return -0.5 * jnp.sum((x / scale) ** 2)


def far_modes(x, height):
    """Two modes a hundred standard deviations apart; of height zero, no density at all."""
    return height * jnp.sum(jnp.logaddexp(-0.5 * (x - 50.0) ** 2, -0.5 * (x + 50.0) ** 2))


@quietly
def test_one_draw_of_the_target_leads_to_another():
    """4000 chains that start in the target are still there after 60 brackets: stepping out, shrinkage, wall."""
    starts = exact_two_humps(4000, np.random.default_rng(0))
    values = slice_sample(two_humps, starts, n_draws=30, n_warmup=0, width=[1.0, 2.5], random_state=0).value.values
    moved = np.asarray(values)[:, -1]
    assert np.mean(moved == starts) == 0.0
    assert stats.kstest(moved[:, 0], stats.expon.cdf).pvalue > 1e-3
    assert stats.kstest(moved[:, 1], cdf_of_humps).pvalue > 1e-3
    left, right = moved[:, 1] < 0.0, moved[:, 1] >= 0.0
    assert stats.ks_2samp(moved[left, 0], moved[right, 0]).pvalue > 1e-3  # the coordinates are independent
    assert np.mean((starts[:, 1] < 0.0) == left) < 0.95  # and some chains have changed humps


@quietly
@pytest.mark.slow
def test_the_same_holds_where_stepping_out_is_cut_short():
    """A width of 0.02 takes 64 steps to 1.28, less than most slices: the bracket then ends where the steps do."""
    starts = exact_two_humps(4000, np.random.default_rng(1))
    values = slice_sample(two_humps, starts, n_draws=30, n_warmup=0, width=0.02, random_state=0).value.values
    moved = np.asarray(values)[:, -1]
    assert stats.kstest(moved[:, 0], stats.expon.cdf).pvalue > 1e-3
    assert stats.kstest(moved[:, 1], cdf_of_humps).pvalue > 1e-3


@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e4])
def test_a_wrong_width_is_learned_away(scale):
    solution = slice_sample(scaled_normal, scale * np.ones((4, 2)), shared=scale, random_state=0)
    values = np.asarray(solution.value.values)
    assert np.all(np.abs(values.mean(axis=(0, 1)) / mcse(values)) < 4.0)
    squares = (values / scale) ** 2
    assert np.all(np.abs((squares.mean(axis=(0, 1)) - 1.0) / mcse(squares)) < 4.0)
    assert solution.info["evaluations"] < 4 * 700 * 2 * 7
    # Four standard deviations in each of two directions.
    np.testing.assert_allclose(np.linalg.norm(solution.info["directions"], axis=0), 4.0 * scale, rtol=0.2)


def test_one_chain_of_one_coordinate():
    solution = slice_sample(scaled_normal, [0.5], shared=2.0, n_draws=1000, names=["height"], random_state=0)
    assert solution.value.values.shape == (1, 1000, 1)
    assert solution.value.names == ("height",)
    assert abs(solution.value.mean.item()) < 4.0 * solution.info["mcse"].item()


@quietly
@pytest.mark.parametrize("n_warmup", [0, 1, 9])
def test_a_warm_up_too_short_to_learn_from_keeps_the_width(n_warmup):
    solution = slice_sample(scaled_normal, np.ones((4, 2)), shared=1.0, n_draws=10, n_warmup=n_warmup, width=3.0)
    np.testing.assert_array_equal(solution.info["directions"], 3.0 * np.eye(2))


def test_a_density_that_is_flat_ends_and_is_doubted():
    """No proper density: nothing to find, but the sampler returns, and its certificate tells."""
    with pytest.warns(ConvergenceWarning, match="^slice_sample: "):
        solution = slice_sample(far_modes, np.zeros((4, 1)), shared=0.0, n_draws=20, n_warmup=0, random_state=0)
    assert np.all(np.isfinite(solution.value.values))
    assert not solution.certificate.converged


def test_two_modes_far_apart_are_doubted():
    starts = np.array([[-50.0], [-50.0], [50.0], [50.0]])
    with pytest.warns(ConvergenceWarning, match="the chains disagree"):
        slice_sample(far_modes, starts, shared=1.0, n_warmup=0, random_state=0)


@pytest.mark.parametrize("width", [0.0, -1.0, np.nan, [1.0, 2.0, 3.0], [1.0, 0.0]], ids=str)
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(InputError, match="width is"):
        slice_sample(scaled_normal, np.zeros((4, 2)), shared=1.0, width=width)
