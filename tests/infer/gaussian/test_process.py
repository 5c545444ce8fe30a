"""Noise models, and the prior of a process with its wall against extreme signal-to-noise."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.errors import InputError
from credo.infer.gaussian.means import ConstantMean, ZeroMean
from credo.infer.gaussian.process import ConstantNoise, NoNoise, Process, log_belief
from credo.kernels import RBF
from credo.numerics.constraints import Fixed

believed = eqx.filter_jit(log_belief)


@eqx.filter_jit
def slope_in_noise(level, process):
    def at(level):
        return log_belief(Process(process.kernel, process.mean, ConstantNoise(level)), X, PRESENT)

    return jax.grad(at)(level)


X = jnp.linspace(0.0, 1.0, 5)[:, None]
PRESENT = jnp.array([True, True, True, False, False])


def test_noise_is_the_same_at_every_row_or_none():
    np.testing.assert_array_equal(ConstantNoise(0.3).variance(X), np.full(5, 0.3))
    np.testing.assert_array_equal(NoNoise().variance(X), np.zeros(5))
    with pytest.raises(InputError, match="level is -1"):
        ConstantNoise(-1.0)


def test_log_belief_is_the_sum_of_the_declared_priors():
    process = Process(RBF(2.0, [0.5, 3.0]), ConstantMean(-1.0), ConstantNoise(0.2))
    expected = stats.lognorm(s=1.5).logpdf(2.0)
    expected += stats.lognorm(s=1.5, scale=np.exp(0.5)).logpdf([0.5, 3.0]).sum()
    expected += stats.norm(0.0, 3.0).logpdf(-1.0) + stats.lognorm(s=2.5, scale=np.exp(-3.0)).logpdf(0.2)
    rows = jnp.zeros((5, 2))
    np.testing.assert_allclose(believed(process, rows, PRESENT), expected, rtol=1e-12)


def test_what_is_held_has_no_prior():
    held = Process(RBF(Fixed(2.0), Fixed(0.5)), ZeroMean(), ConstantNoise(Fixed(3.0)))
    assert believed(held, X, PRESENT) == 0.0
    assert believed(Process(held.kernel, ZeroMean(), NoNoise()), X, PRESENT) == 0.0


@pytest.mark.parametrize(
    ("snr", "least", "most"), [(1e3, -1e-6, 0.0), (1e5, -0.02, 0.0), (1e6, -1.01, -0.99), (1e8, -1e9, -1e3)]
)
def test_wall_against_extreme_signal_to_noise(snr, least, most):
    """Only the wall is left where every parameter is held; padded rows do not move it."""
    process = Process(RBF(Fixed(3.0), Fixed(1.0)), ZeroMean(), ConstantNoise(Fixed(3.0 / snr)))
    assert least <= float(believed(process, X, PRESENT)) <= most
    assert np.isfinite(slope_in_noise(3.0 / snr, process))
