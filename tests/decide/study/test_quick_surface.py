"""Surfaces that are assembled from arrays against those that constructors make of the same parameters."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.decide.acquisitions import GPSurface
from credo.decide.acquisitions.maximize import moments_at
from credo.decide.study.columns import in_units, units_of
from credo.decide.study.quick_surface import surface_at
from credo.decide.study.quick_surrogate import evidence_of
from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.posterior import condition
from credo.infer.gaussian.process import ConstantNoise, Process
from credo.kernels import RBF, Constant, Hamming, Matern52, On
from credo.kernels.algebra import Sum
from credo.numerics.constraints import Fixed
from credo.represent.space import Choice, Real, Space

BOX = Space({"a": Real(0, 1), "b": Real(0, 1)})
MIXED = Space({"a": Real(0, 1), "kind": Choice("x", "y", "z"), "b": Real(0, 1)})
CHOICES = Space({"kind": Choice("x", "y", "z")})


def kernel_of(space, smooth, scales):
    """Written out for each of the three spaces."""
    if space is BOX:
        return smooth(variance=scales[2], lengthscale=scales[:2])
    if space is CHOICES:
        return On(Hamming(variance=scales[1], lengthscale=scales[:1]), (0,))
    alone = On(smooth(variance=scales[2], lengthscale=scales[:2]), (0, 2))
    with_choice = On(smooth(variance=scales[6], lengthscale=scales[3:5]), (0, 2))
    return Sum((alone, with_choice * On(Hamming(lengthscale=scales[5:6]), (1,))))


@pytest.mark.parametrize("smooth", [Matern52, RBF])
@pytest.mark.parametrize("space", [BOX, MIXED, CHOICES], ids=["numbers", "mixed", "choices"])
def test_is_the_process_that_its_parameters_stand_for(space, smooth):
    for n, seed in ((20, 0), (21, 1)):  # the second is assembled from what the first left
        rng = np.random.default_rng(seed)
        rows = space.sample_rows(n, seed)
        values = np.sin(5.0 * rows[:, 0]) + 0.3 * rows[:, -1]
        evidence = evidence_of(space, in_units(space, rows), values, smooth)
        logs = np.append(rng.normal(0.0, 0.5, size=evidence.prior.middle.shape[1] - 1), -4.0)
        surface = surface_at(space, evidence, logs, smooth)
        kernel = kernel_of(space, smooth, jnp.exp(jnp.asarray(logs)))
        terms = kernel.terms if isinstance(kernel, Sum) else (kernel,)
        whole = Sum((*terms, Constant(Fixed(evidence.level))))
        process = Process(whole, ZeroMean(), ConstantNoise(np.exp(logs[-1]) + evidence.least))
        wanted = GPSurface(
            condition(process, observations(in_units(space, rows), values)[0]), *map(jnp.asarray, units_of(space))
        )
        new = space.sample_rows(16, 3)
        np.testing.assert_allclose(moments_at(surface, new), moments_at(wanted, new), rtol=1e-7, atol=1e-9)
        assert jax.tree.structure(surface.posterior.process) == jax.tree.structure(process)


def test_more_rows_than_those_of_the_evidence():
    rows = BOX.sample_rows(40, 0)
    values = np.cos(4.0 * rows[:, 0]) + rows[:, 1]
    X = in_units(BOX, rows)
    logs = np.array([0.1, -0.2, 0.3, -5.0])
    whole = surface_at(BOX, evidence_of(BOX, X, values), logs)
    part = surface_at(BOX, evidence_of(BOX, X[:15], values[:15]), logs, measured=(X, values))
    new = BOX.sample_rows(16, 1)
    np.testing.assert_allclose(moments_at(part, new), moments_at(whole, new), rtol=1e-8, atol=1e-10)
