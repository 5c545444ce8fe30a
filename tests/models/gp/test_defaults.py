"""What a fit starts from when its user says little."""

import equinox as eqx
import jax
import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.gaussian import ConstantMean, ConstantNoise, ModuleMean, NoNoise, ZeroMean
from credo.kernels import Matern52, Sum
from credo.models.gp.defaults import default_kernel, starting_process
from credo.numerics.constraints import Fixed, Positive
from credo.numerics.parameters import constraint_of, flatten


def started(**given):
    return starting_process(
        "GP", given.get("kernel"), given.get("mean", "zero"), given.get("noise"), given.get("d", 2),
        known=given.get("known", False),
    )  # fmt: skip


def test_a_length_scale_for_each_column():
    """Distances of standard normal points grow with √d, and so does the start."""
    for d in (1, 4):
        kernel = default_kernel(d)
        assert isinstance(kernel, Matern52)
        np.testing.assert_allclose(kernel.lengthscale, np.full(d, 0.5 * np.sqrt(d)))
    assert len(flatten(started(d=4)).vector) == 1 + 4 + 1


def test_a_kernel_that_does_not_fit_the_columns_is_refused():
    with pytest.raises(InputError) as failure:
        started(kernel=Matern52(lengthscale=np.ones(8)), d=41)
    assert str(failure.value) == (
        "GP: X has 41 columns, but the kernel was given 8 length-scales. A length-scale per column was probably meant. "
        "Try kernel=Matern52(lengthscale=np.ones(41)), or leave it out."
    )


def test_means():
    assert isinstance(started(mean="zero").mean, ZeroMean)
    for mean in ("constant", "linear", ConstantMean(4.0)):  # their coefficients are integrated out by the kernel
        process = started(mean=mean)
        assert isinstance(process.mean, ZeroMean)
        assert isinstance(process.kernel, Sum)
    held = ConstantMean(Fixed(4.0))
    assert started(mean=held).mean is held
    network = eqx.nn.Linear(2, "scalar", key=jax.random.key(0))
    assert isinstance(started(mean=network).mean, ModuleMean)


def test_noise():
    learnt = started().noise
    assert isinstance(learnt, ConstantNoise)
    assert constraint_of(learnt, "level").is_free
    assert isinstance(started(known=True).noise, NoNoise)
    assert isinstance(started(noise=0.0).noise, NoNoise)
    held = started(noise=0.3, known=True).noise
    assert (float(held.level), constraint_of(held, "level").is_free) == (0.3, False)
    begun = started(noise=Positive(0.7)).noise
    assert (float(begun.level), constraint_of(begun, "level").is_free) == (0.7, True)
    assert not constraint_of(started(noise=Fixed(0.7)).noise, "level").is_free
