"""The search for parameters: the optima of a classic problem, screening, determinism."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import optimize, stats

import credo.infer.gaussian.selection as selection
from credo.infer.gaussian.means import ConstantMean, ZeroMean
from credo.infer.gaussian.observations import observations
from credo.infer.gaussian.process import ConstantNoise, Process
from credo.infer.gaussian.selection import Task, log_posterior, select
from credo.kernels import RBF, Matern52
from credo.numerics.constraints import Fixed
from credo.numerics.parameters import flatten
from textbook_gp import Textbook, rbf

# Seven points like those of Rasmussen and Williams 2006, figure 5.5: a short length-scale with little noise, or a long
# one for which nearly everything is noise.
rng = np.random.default_rng(0)
X7 = np.sort(rng.uniform(-5, 5, 7))[:, None]
Y7 = np.linalg.cholesky(rbf(X7, X7) + 0.1 * np.eye(7)) @ rng.normal(size=7)
ONE_SCALE = Process(RBF(Fixed(1.0), 1.0), ZeroMean(), ConstantNoise(0.3))


def loss(free, X, y):
    lengthscale, noise = np.exp(free)
    return -Textbook(lambda A, B: rbf(A, B, 1.0, lengthscale), X, y, noise).log_evidence()


def at(optimum):
    return np.array([float(optimum.process.kernel.lengthscale), float(optimum.process.noise.level)])


def test_both_optima_of_a_classic_problem_are_found():
    """SciPy from a start near each knows where they are."""
    ends = [optimize.minimize(loss, np.log(start), args=(X7, Y7), tol=1e-10) for start in ((1.2, 0.06), (5.0, 0.7))]
    found = select(ONE_SCALE, observations(X7, Y7)[0], with_prior=False, n_restarts=12, rng=np.random.default_rng(1))
    short, long = found.value[:2]
    np.testing.assert_allclose(at(short), np.exp(ends[0].x), rtol=2e-3)
    np.testing.assert_allclose(at(long), np.exp(ends[1].x), rtol=2e-3)
    np.testing.assert_allclose([short.objective, long.objective], [-ends[0].fun, -ends[1].fun], rtol=1e-6)
    assert at(short)[0] < 2.0 < 4.0 < at(long)[0]
    for optimum in found.value:
        assert 0 <= optimum.start <= 12


def loss_of_two(free, X, y):
    """Two scales, a level and noise, in the order of `flatten`."""
    (v1, l1, v2, l2), level, noise = np.exp(free[:4]), free[4], np.exp(free[5])
    k = lambda A, B: rbf(A, B, v1, l1) + rbf(A, B, v2, l2)  # noqa: E731
    return -Textbook(k, X, y, noise, mean=lambda A: np.full(len(A), level)).log_evidence()


def test_every_optimum_reported_is_one():
    """Searches that lag behind the best go on to their own optimum, where the gradient of the dense formula is zero.

    There are two: a short and a long scale, or one long scale (SciPy from a start near each knows how high). A plateau
    between them, at −13.68, where one term fades away, is the end of a search only if it stops early.
    """
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(-5, 5, 14))[:, None]
    y = np.sin(3 * X[:, 0]) + 0.5 * X[:, 0] + 0.3 * rng.normal(size=14)
    process = Process(RBF(1.0, 1.0) + RBF(1.0, 3.0), ConstantMean(0.0), ConstantNoise(0.1))
    found = select(process, observations(X, y)[0], with_prior=False, n_restarts=8, rng=np.random.default_rng(1))
    assert set(found.info["statuses"]) == {"converged"}
    objectives = [optimum.objective for optimum in found.value]
    near = ((-0.5, -0.7, 2.0, 1.8, 0.0, -5.0), (1.8, 2.0, 1.5, 2.0, -1.5, -1.3))
    expected = [-optimize.minimize(loss_of_two, np.array(start), args=(X, y)).fun for start in near]
    np.testing.assert_allclose(objectives, expected, atol=1e-3)
    for optimum in found.value:
        free = np.asarray(flatten(optimum.process).vector)
        np.testing.assert_allclose(-loss_of_two(free, X, y), optimum.objective, rtol=1e-8)
        slope = optimize.approx_fprime(free, loss_of_two, 1e-6, X, y)
        assert np.max(np.abs(slope)) < 5e-3


def test_a_search_that_did_not_end_is_no_optimum(monkeypatch):
    """Unless it is the best of all: then it is the answer, and the certificate says how it ended."""
    honest = selection.minimize

    def interrupted(*args, **kwargs):
        solution = honest(*args, **kwargs)
        return dataclasses.replace(solution, info={**solution.info, "statuses": ("dropped",) * 13})

    given = {"with_prior": False, "n_restarts": 12}
    whole = select(ONE_SCALE, observations(X7, Y7)[0], rng=np.random.default_rng(1), **given)
    monkeypatch.setattr(selection, "minimize", interrupted)
    found = select(ONE_SCALE, observations(X7, Y7)[0], rng=np.random.default_rng(1), **given)
    assert len(whole.value) > 1
    assert [optimum.objective for optimum in found.value] == [whole.value[0].objective]


def test_ends_that_are_one_optimum_are_reported_once():
    X = np.linspace(-3, 3, 12)[:, None]
    found = select(ONE_SCALE, observations(X, np.sin(X[:, 0]))[0], rng=np.random.default_rng(3), n_restarts=6)
    places = [np.log(at(optimum)) for optimum in found.value]
    assert all(np.max(np.abs(a - b)) > 0.05 for i, a in enumerate(places) for b in places[:i])


def test_log_posterior_is_evidence_prior_and_jacobian():
    """As a density of log length-scale, level and log noise: the priors of scipy.stats with the change of variables."""
    process = Process(RBF(Fixed(1.0), 0.8), ConstantMean(0.3), ConstantNoise(0.2))
    data, _ = observations(X7, Y7)
    dense = Textbook(lambda A, B: rbf(A, B, 1.0, 0.8), X7, Y7, 0.2, mean=lambda A: np.full(len(A), 0.3))
    prior = stats.norm(0.5, 1.5).logpdf(np.log(0.8)) + stats.norm(-3.0, 2.5).logpdf(np.log(0.2))
    prior += stats.norm(0.0, 3.0).logpdf(0.3)
    free = flatten(process).vector
    with_prior = float(log_posterior(free, Task(process, data, True)))
    np.testing.assert_allclose(with_prior, dense.log_evidence() + prior, rtol=1e-10)
    np.testing.assert_allclose(log_posterior(free, Task(process, data, False)), dense.log_evidence(), rtol=1e-11)


def test_the_generator_says_which_starts():
    data, _ = observations(X7, Y7)
    one, same, other = (select(ONE_SCALE, data, rng=np.random.default_rng(seed)) for seed in (4, 4, 5))
    np.testing.assert_array_equal(one.info["x"], same.info["x"])
    assert np.any(one.info["x"] != other.info["x"])


def test_nothing_free_is_one_optimum():
    held = Process(RBF(Fixed(1.0), Fixed(1.0)), ZeroMean(), ConstantNoise(Fixed(0.3)))
    found = select(held, observations(X7, Y7)[0], rng=np.random.default_rng(0), with_prior=False)
    np.testing.assert_allclose(found.value[0].objective, -loss(np.log([1.0, 0.3]), X7, Y7), rtol=1e-10)
    assert len(found.value) == 1


@pytest.mark.parametrize(
    ("n", "above", "subset"), [(120, 100, 64), pytest.param(450, 400, 256, marks=pytest.mark.slow)], ids=str
)
def test_screening_on_a_subset_reaches_the_optimum_of_all_rows(n, above, subset, monkeypatch):
    """Above so many distinct points the starts run on a subset of them, and two ends go on."""
    monkeypatch.setattr(selection, "SCREENED_FROM", above)
    monkeypatch.setattr(selection, "_SUBSET", subset)
    rng = np.random.default_rng(0)
    X = rng.uniform(-5, 5, size=(n, 1))
    data, _ = observations(X, np.sin(5 * X[:, 0]) + 0.4 * rng.normal(size=n))
    screened = select(ONE_SCALE, data, rng=np.random.default_rng(7), n_restarts=5)
    assert len(screened.info["values"]) <= 2
    assert 0 <= screened.value[0].start <= 5
    monkeypatch.setattr(selection, "SCREENED_FROM", 1000)
    full = select(ONE_SCALE, data, rng=np.random.default_rng(7), n_restarts=5)
    assert len(full.info["values"]) == 6
    if n == 120:
        assert np.ptp(full.info["values"]) > 10  # some starts end where nearly everything is noise
    np.testing.assert_allclose(screened.value[0].objective, full.value[0].objective, atol=1e-4)
    np.testing.assert_allclose(at(screened.value[0]), at(full.value[0]), rtol=1e-2)


def test_search_coordinates_are_the_free_ones_and_back():
    free = np.array([[-9.0, -1.0, 0.3, 4.0, 2.0]])
    additive = np.array([True, True, True, True, False])
    there = selection._searched(free, additive)
    np.testing.assert_allclose(selection._free(jnp.asarray(there), jnp.asarray(additive)), free, rtol=1e-12)
    assert there[0, 3] == pytest.approx(np.exp(4.0), rel=1e-9)  # a long scale moves by what is added to it
    assert there[0, 4] == 2.0


@pytest.mark.parametrize("unit", [1e-4, 1e2, 1e6])
def test_units_of_the_columns_do_not_matter(unit):
    """The same start in other units leads to the same optimum, which no step of a fixed size would reach."""
    X, y = np.linspace(-3, 3, 16)[:, None], np.sin(np.linspace(-6, 6, 16)) + 0.1 * np.cos(np.arange(16.0) ** 2)
    ends = [
        select(
            Process(RBF(Fixed(1.0), 3.0 * scale), ZeroMean(), ConstantNoise(0.3)),
            observations(scale * X, y)[0],
            with_prior=False,
            n_restarts=2,
            rng=np.random.default_rng(0),
        ).value[0]
        for scale in (1.0, unit)
    ]
    np.testing.assert_allclose(ends[1].objective, ends[0].objective, atol=1e-5)
    np.testing.assert_allclose(at(ends[1])[0], unit * at(ends[0])[0], rtol=1e-2)


def test_a_given_start_that_is_better_is_not_lost_to_screening(monkeypatch):
    rng = np.random.default_rng(6)
    X = rng.uniform(-5, 5, size=(120, 1))
    data, _ = observations(X, np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=120))
    best = select(ONE_SCALE, data, rng=np.random.default_rng(7), n_restarts=3).value[0]
    monkeypatch.setattr(selection, "SCREENED_FROM", 100)
    monkeypatch.setattr(selection, "_SUBSET", 64)
    again = select(best.process, data, rng=np.random.default_rng(8), n_restarts=0).value[0]
    assert again.objective >= best.objective - 1e-6


def columns_of_falling_weight(n, d, seed):
    """Every column bends, the last ones so little that few rows do not show it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sin(1.5 * X) @ 0.5 ** np.arange(d) + 0.1 * rng.normal(size=n)
    process = Process(Matern52(1.0, np.full(d, 0.5 * d**0.5)), ZeroMean(), ConstantNoise(0.1))
    return process, observations(X, y / y.std())[0]


@pytest.mark.slow
@pytest.mark.parametrize("with_prior", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_screening_with_many_columns_is_no_worse_than_all_starts_on_all_rows(seed, with_prior, monkeypatch):
    process, data = columns_of_falling_weight(240, 5, seed)
    settings = {"with_prior": with_prior, "n_restarts": 3}
    full = select(process, data, rng=np.random.default_rng(seed), **settings)
    monkeypatch.setattr(selection, "SCREENED_FROM", 200)
    monkeypatch.setattr(selection, "_SUBSET", 64)
    screened = select(process, data, rng=np.random.default_rng(seed), **settings)
    assert screened.value[0].objective > full.value[0].objective - 1e-2


@pytest.mark.slow
def test_the_curvature_of_a_subset_saves_evaluations_on_all_rows(monkeypatch):
    process, data = columns_of_falling_weight(240, 8, 0)
    monkeypatch.setattr(selection, "SCREENED_FROM", 200)
    monkeypatch.setattr(selection, "_SUBSET", 64)
    quick = select(process, data, rng=np.random.default_rng(0), with_prior=False)
    monkeypatch.setattr(selection, "_natural_steps", lambda search, point, scale: np.eye(len(point)))
    slow = select(process, data, rng=np.random.default_rng(0), with_prior=False)
    assert quick.value[0].objective > slow.value[0].objective - 1e-3
    assert 1.5 * np.sum(quick.info["evaluations"]) < np.sum(slow.info["evaluations"])


def test_a_weak_column_that_looks_linear_on_a_subset_bends_on_all_rows():
    """A long length-scale is an optimum of its own; the dense formula says which one is higher."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 2))
    y = np.sin(1.5 * X[:, 0]) + 0.15 * np.sin(1.5 * X[:, 1]) + 0.1 * rng.normal(size=400)
    process = Process(RBF(1.0, np.full(2, 0.7)), ZeroMean(), ConstantNoise(0.01))
    search = selection._Search(Task(process, observations(X, y)[0], False), jnp.zeros(4), jnp.eye(4))
    linear = np.log([1.0, 1.0, 40.0, 0.01])

    def loss(free):
        variance, lengthscale, noise = np.exp(free[0]), np.exp(free[1:3]), np.exp(free[3])
        return -Textbook(lambda A, B: rbf(A, B, variance, lengthscale), X, y, noise).log_evidence()

    scales, start = np.array([False, True, True, False]), np.asarray(flatten(process).vector)
    bent = selection._with_bends(search, linear, loss(linear), scales, start)
    np.testing.assert_allclose(bent, np.where(np.arange(4) == 2, start[2] + 1.5, linear))
    assert loss(bent) < loss(linear)
    near = np.log([1.0, 1.0, 1.2, 0.01])
    np.testing.assert_array_equal(selection._with_bends(search, near, loss(near), scales, start), near)
