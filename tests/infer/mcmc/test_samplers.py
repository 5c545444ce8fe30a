"""The laws of every sampler, on one target of which everything is known."""

from contextlib import nullcontext

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import linalg, special, stats

from credo.errors import ConvergenceWarning, InputError
from credo.infer import mcse, nuts, slice_sample
from credo.infer.mcmc import chains

SAMPLERS = {"slice": slice_sample, "nuts": nuts}
TRACES = {"target": 0}

MEAN = np.array([1.0, -20.0, 300.0])
SCALE = np.array([0.1, 1.0, 30.0])
CORRELATION = np.array([[1.0, 0.97, 0.5], [0.97, 1.0, 0.6], [0.5, 0.6, 1.0]])
COVARIANCE = CORRELATION * np.outer(SCALE, SCALE)
SHAPES = np.array([0.7, 4.0])  # the smaller, the longer the left tail of a log-gamma variable
EXACT_COVARIANCE = linalg.block_diag(COVARIANCE, np.diag(special.polygamma(1, SHAPES)))
SHARED = (MEAN, np.linalg.inv(COVARIANCE), SHAPES)


def target(x, shared):
    """A Gaussian of three correlated coordinates of unlike units, and two log-gamma ones: a x − exp x."""
    TRACES["target"] += 1
    mean, precision, shapes = shared
    centered = x[:3] - mean
    return -0.5 * centered @ precision @ centered + jnp.sum(shapes * x[3:] - jnp.exp(x[3:]))


def walled(x, shared):
    """A standard normal right of a wall: to its left there is no density, said with NaN or with minus infinity."""
    return jnp.sum(-0.5 * x**2) + jnp.where(x[0] > 0.0, 0.0, shared)


def spread_starts(count=4, seed=0):
    rng = np.random.default_rng(seed)
    gaussian = MEAN + 2.0 * SCALE * rng.normal(size=(count, 3))
    return np.concatenate([gaussian, rng.normal(size=(count, 2))], axis=1)


def sample(name, **changes):
    arguments = {"shared": SHARED, "n_draws": 1000, "n_warmup": 300, "random_state": 0} | changes
    return SAMPLERS[name](target, spread_starts(), **arguments)


@pytest.fixture(scope="module", params=SAMPLERS)
def solution(request):
    return request.param, sample(request.param)


def assert_within_four_errors(values, exact):
    """That the means over chains and draws are the exact ones, up to four of their standard errors."""
    z = (values.mean(axis=(0, 1)) - exact) / mcse(values)
    assert np.all(np.abs(z) < 4.0), z


def test_means_and_covariances(solution):
    values = np.asarray(solution[1].value.values)
    exact = np.concatenate([MEAN, special.digamma(SHAPES)])
    assert_within_four_errors(values, exact)
    centered = values - exact
    assert_within_four_errors(centered[..., :, None] * centered[..., None, :], EXACT_COVARIANCE)


@pytest.mark.parametrize("p", [0.05, 0.5, 0.95])
def test_quantiles(solution, p):
    values = np.asarray(solution[1].value.values)
    gaussian = stats.norm.ppf(p, MEAN, SCALE)
    exact = np.concatenate([gaussian, np.log(special.gammaincinv(SHAPES, p))])
    assert_within_four_errors((values <= exact).astype(float), np.full(5, p))


def test_log_density_is_that_of_the_draws(solution):
    draws = solution[1].value
    exact = [target(x, SHARED) for x in np.asarray(draws.values)[:, -1]]
    np.testing.assert_allclose(draws.log_density[:, -1], exact, rtol=1e-12)


def test_the_certificate_says_what_happened(solution):
    name, found = solution
    certificate = found.certificate
    assert certificate.converged
    assert certificate.kind == "estimated"
    assert certificate.iterations == 1300
    assert 0.0 < certificate.error < 0.1
    text = str(certificate)
    assert all(part in text for part in ("R-hat at most 1.0", "effective sample size", "evaluations of the density"))
    assert ("divergences" in text) == (name == "nuts")
    assert found.info["ess_bulk"].shape == (5,)


def test_the_covariance_is_learned(solution):
    """Between what a sampler has learned and the truth no direction is more than twice as wide or half as wide."""
    name, found = solution
    directions = found.info.get("directions")
    learned = found.info["inverse_mass"] if name == "nuts" else directions.T @ directions / 16.0
    ratios = np.linalg.eigvals(np.linalg.solve(EXACT_COVARIANCE, learned)).real
    assert np.all((ratios > 0.5) & (ratios < 2.0)), ratios


def test_draws_are_worth_their_evaluations(solution):
    """Coordinate by coordinate, a correlation of 0.97 in units from 0.1 to 30 leaves some two draws of a thousand."""
    name, found = solution
    worth = 1000.0 * found.info["ess_bulk"].min() / found.info["evaluations"]
    assert worth > {"slice": 15.0, "nuts": 40.0}[name]


def test_samplers_agree_with_each_other():
    slices, trajectories = (np.asarray(sample(name).value.values) for name in SAMPLERS)
    error = np.sqrt(mcse(slices) ** 2 + mcse(trajectories) ** 2)
    z = (slices.mean(axis=(0, 1)) - trajectories.mean(axis=(0, 1))) / error
    assert np.all(np.abs(z) < 4.0), z


@pytest.mark.parametrize("name", SAMPLERS)
def test_same_seed_same_draws_whatever_the_pace(name, monkeypatch):
    short = {"n_draws": 200, "n_warmup": 100}
    first, other = sample(name, **short), sample(name, random_state=1, **short)
    monkeypatch.setattr(chains, "_SECONDS", 1e-6)  # now every draw is told by itself
    again = sample(name, **short)
    np.testing.assert_array_equal(first.value.values, again.value.values)
    assert np.all(first.value.values[:, 0] != other.value.values[:, 0])


@pytest.mark.parametrize("name", SAMPLERS)
def test_new_data_and_lengths_compile_nothing(name):
    sample(name, n_draws=400)
    compiled = TRACES["target"]
    moved = (MEAN + 5.0, SHARED[1] * 4.0, SHAPES + 1.0)
    found = sample(name, shared=moved, n_draws=517, n_warmup=250, random_state=3)
    shapes_only = 1  # the check that the density is a number
    assert TRACES["target"] == compiled + shapes_only
    assert_within_four_errors(np.asarray(found.value.values)[..., :3], MEAN + 5.0)
    assert found.value.values.shape == (4, 517, 5)


@pytest.mark.parametrize("outside", [np.nan, -np.inf, np.inf], ids=["nan", "minus infinity", "infinity"])
@pytest.mark.parametrize("name", SAMPLERS)
def test_no_density_is_a_wall(name, outside):
    starts = np.abs(np.random.default_rng(0).normal(size=(4, 2)))
    diverging = pytest.warns(ConvergenceWarning, match="^nuts: .*of 6000 draws were divergent.* Try slice_sample")
    with diverging if name == "nuts" else nullcontext():  # trajectories that hit a wall diverge
        found = SAMPLERS[name](walled, starts, shared=outside, n_draws=1500, n_warmup=300, random_state=0)
    assert found.certificate.converged == (name == "slice")
    values = np.asarray(found.value.values)
    assert np.all(values[..., 0] > 0.0)
    assert_within_four_errors(values, [np.sqrt(2.0 / np.pi), 0.0])
    median = stats.norm.ppf([0.75, 0.5])
    assert_within_four_errors((values <= median).astype(float), [0.5, 0.5])


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_start_behind_the_wall_is_refused(name):
    starts = np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 1.0], [2.0, 0.0]])
    with pytest.raises(InputError, match=rf"^{SAMPLERS[name].__name__}: the log density at start 1 is not finite"):
        SAMPLERS[name](walled, starts, shared=np.nan)


@pytest.mark.parametrize("name", SAMPLERS)
def test_progress_is_told(name):
    class Recorder:
        def __init__(self):
            self.phases, self.steps = [], 0

        def phase(self, name):
            self.phases.append(name)

        def advance(self, steps=1):
            self.steps += steps

    track = Recorder()
    sample(name, n_draws=300, n_warmup=100, progress=track)
    assert track.phases == ["compiling", "warming up", "sampling"]
    assert track.steps == 400
