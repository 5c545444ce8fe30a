"""The surface of the evidence against the dense density of SciPy, value by value."""

import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.gaussian import ConstantNoise, LinearMean, NoNoise, Process, ZeroMean, evidence_surface, observations
from credo.infer.gaussian.surface import parameter_values
from credo.kernels import RBF, Matern52
from credo.numerics.constraints import Bounded, Fixed
from textbook_gp import Textbook, matern52

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 2))
Y = np.sin(2.0 * X[:, 0]) + 0.3 * RNG.normal(size=20)
DATA, _ = observations(X, Y)


def process(noise=0.2):
    return Process(Matern52(1.3, [0.7, 1.4]), LinearMean([0.5, -0.3], 0.2), ConstantNoise(noise))


def dense(lengths=(0.7, 1.4), noise=0.2, intercept=0.2):
    k = lambda A, B: matern52(A, B, 1.3, np.array(lengths))  # noqa: E731
    return Textbook(k, X, Y, noise, mean=lambda A: intercept + A @ [0.5, -0.3]).log_evidence()


def test_every_value_is_the_density_of_the_rows():
    surface = evidence_surface(process(), DATA, "kernel.lengthscale[1]", "noise.level", points=3, reach=1.5)
    expected = [[dense(lengths=(0.7, scale), noise=noise) for noise in surface.y] for scale in surface.x]
    np.testing.assert_allclose(surface.log_evidence, expected, rtol=1e-9)
    np.testing.assert_allclose(surface.x, 1.4 * np.exp([-1.5, 0.0, 1.5]), rtol=1e-12)
    assert surface.log_scale == (True, True)
    assert surface.at == (pytest.approx(1.4), pytest.approx(0.2))
    assert surface.held["kernel.lengthscale[0]"] == pytest.approx(0.7)
    assert "noise.level" not in surface.held


def test_what_may_be_negative_is_on_a_linear_scale():
    surface = evidence_surface(process(), DATA, "intercept", "noise", points=3, reach=1.0)
    np.testing.assert_allclose(surface.x, [-0.8, 0.2, 1.2], rtol=1e-12)
    expected = [[dense(intercept=value, noise=noise) for noise in surface.y] for value in surface.x]
    np.testing.assert_allclose(surface.log_evidence, expected, rtol=1e-9)
    assert surface.log_scale == (False, True)


def test_the_highest_of_the_grid():
    surface = evidence_surface(process(), DATA, points=3)
    i, j = np.argwhere(surface.log_evidence == surface.log_evidence.max())[0]
    assert surface.highest == (surface.x[i], surface.y[j])


def test_many_rows_go_in_blocks_and_on_the_host():
    """Above 128 rows LAPACK factorizes on the host, one matrix after the other."""
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(150, 1))
    y = np.sin(Z[:, 0]) + 0.1 * rng.normal(size=150)
    surface = evidence_surface(Process(RBF(), ZeroMean(), ConstantNoise(0.1)), observations(Z, y)[0], points=2)
    r2 = (Z - Z.T) ** 2
    for i, scale in enumerate(surface.x):
        for j, noise in enumerate(surface.y):
            K = np.exp(-0.5 * r2 / scale**2) + noise * np.eye(150)
            value = -0.5 * (y @ np.linalg.solve(K, y) + np.linalg.slogdet(K)[1] + 150 * np.log(2 * np.pi))
            assert surface.log_evidence[i, j] == pytest.approx(value, rel=1e-8)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ((None, None), ("kernel.lengthscale[0]", "noise.level")),
        (("noise", None), ("noise.level", "kernel.lengthscale[0]")),
        (("variance", None), ("kernel.variance", "kernel.lengthscale[0]")),
        ((None, "lengthscale[1]"), ("noise.level", "kernel.lengthscale[1]")),
    ],
)
def test_a_length_scale_and_the_noise_unless_others_are_named(given, names):
    assert evidence_surface(process(), DATA, *given, points=3).names == names


def test_without_noise_two_others_are_taken():
    bare = Process(Matern52(1.3, [0.7, 1.4]), ZeroMean(), NoNoise())
    assert evidence_surface(bare, DATA, points=3).names == ("kernel.lengthscale[0]", "kernel.variance")


def test_values_of_parameters_by_name():
    assert parameter_values(process())["mean.slopes[1]"] == pytest.approx(-0.3)
    held = Process(RBF(Fixed(2.0), Bounded(0.5, low=0.1, high=3.0)), ZeroMean(), ConstantNoise(0.1))
    assert parameter_values(held) == {"kernel.lengthscale": pytest.approx(0.5), "noise.level": pytest.approx(0.1)}
    surface = evidence_surface(held, DATA, points=3, reach=50.0)
    assert 0.1 <= surface.x[0] < surface.x[-1] <= 3.0
    assert surface.log_scale == (False, True)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        (("lengthscale", None), r"2 free parameters are named like 'lengthscale'.*lengthscale\[0\]"),
        (("nois", "noise.level"), "x and y are both 'noise.level'"),
        (("slope", "noise"), "2 free parameters"),
        (("heat", None), r"0 free parameters are named like 'heat'.*misspelt.*kernel.variance"),
    ],
)
def test_bad_names(given, match):
    with pytest.raises(InputError, match=match):
        evidence_surface(process(), DATA, *given, points=3)


def test_bad_grids_and_too_few_parameters():
    with pytest.raises(InputError, match="points=1"):
        evidence_surface(process(), DATA, points=1)
    with pytest.raises(InputError, match="reach=0"):
        evidence_surface(process(), DATA, reach=0.0)
    single = Process(RBF(Fixed(2.0), Fixed(0.5)), ZeroMean(), ConstantNoise(0.1))
    with pytest.raises(InputError, match="1 free parameters"):
        evidence_surface(single, DATA)
