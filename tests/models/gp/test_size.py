"""What is refused before memory is asked for, and with which figures."""

import re

import numpy as np
import pytest

import credo.models.gp.size as size
import credo.numerics.progress as progress
from credo.errors import TooLargeError
from credo.infer.gaussian.learning import FEWEST_KEPT
from credo.models import GPRegressor
from credo.models.gp.size import cost_of, require_affordable

GIB = 2.0**30
ONCE, SEARCH = cost_of(None, 3), cost_of("map", 3)


def test_small_problems_pass():
    require_affordable("GP", 2000, SEARCH, memory=8 * GIB)
    require_affordable("GP", 1, SEARCH, memory=1e6)


def test_memory_decides_where_time_does_not():
    """Five n × n matrices of eight bytes within nine tenths of the memory."""
    memory = 1 * GIB
    fits = int((0.9 * memory / 40) ** 0.5)
    require_affordable("GP", fits, ONCE, memory=memory)
    with pytest.raises(TooLargeError, match=r"GP: \d+ distinct rows would take about 1 GiB of 1 GiB") as failure:
        require_affordable("GP", fits + 1, ONCE, memory=memory)
    assert abs(int(re.search(r"a random (\d+)", str(failure.value))[1]) - fits) <= 1


def test_time_decides_where_memory_does_not():
    """What is suggested is accepted, what is a little more is not, and one evaluation goes further than a search."""
    with pytest.raises(TooLargeError, match=r"and \d+ minutes.*n³ time") as failure:
        require_affordable("GP", 100_000, SEARCH, memory=1e6 * GIB)
    largest = int(re.search(r"a random (\d+)", str(failure.value))[1])
    require_affordable("GP", largest, SEARCH, memory=1e6 * GIB)
    require_affordable("GP", 2 * largest, ONCE, memory=1e6 * GIB)
    with pytest.raises(TooLargeError):
        require_affordable("GP", int(1.01 * largest), SEARCH, memory=1e6 * GIB)


@pytest.mark.parametrize("sampler", ["mcmc", "nuts"])
def test_sampling_keeps_a_factor_for_every_draw_and_takes_longer(sampler):
    sampled = cost_of(sampler, 10)
    assert sampled.matrices == ONCE.matrices + FEWEST_KEPT
    assert sampled.evaluations > 100 * SEARCH.evaluations
    with pytest.raises(TooLargeError, match="sampling its parameters"):
        require_affordable("GP", 6000, sampled, memory=8 * GIB)
    require_affordable("GP", 500, sampled, memory=8 * GIB)


def test_the_regressor_asks_first(monkeypatch):
    """On a machine with a megabyte of memory 200 rows are too many; repeats of 20 points are not."""
    monkeypatch.setattr(size, "physical_memory", lambda: 2**20)
    X = np.linspace(0.0, 1.0, 200)[:, None]
    gp = GPRegressor(inference=None)
    with pytest.raises(TooLargeError, match="GPRegressor: 200 distinct rows"):
        gp.fit(X, X[:, 0])
    assert not hasattr(gp, "posterior_")
    gp.fit(np.repeat(X[:20], 10, axis=0), np.arange(200.0))
    with pytest.raises(TooLargeError, match="GPRegressor: 170 distinct rows"):
        gp.partial_fit(X[20:170], X[20:170, 0])
    assert gp.posterior_.data.X.shape == (20, 1)


def test_a_machine_that_does_not_tell_its_memory_is_small(monkeypatch):
    monkeypatch.setattr(size, "physical_memory", lambda: None)
    with pytest.raises(TooLargeError, match="of 8 GiB of memory"):
        require_affordable("GP", 100_000, cost_of(None, 1))


def test_a_long_fit_states_its_time_first(monkeypatch, capsys):
    """On a slow machine, here pretended; a fit that is expected to be quick says nothing."""
    monkeypatch.setattr(progress, "_shown", None)
    X = np.linspace(0.0, 1.0, 12)[:, None]
    GPRegressor(random_state=0).fit(X, np.sin(9.0 * X[:, 0]))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(size, "_SECONDS_PER_CUBE", 2e-5)
    monkeypatch.setattr(size, "_seconds_per_cube", lambda: 1.0 / 12**3)
    GPRegressor(random_state=0).fit(X, np.sin(9.0 * X[:, 0]))  # five starts of three parameters: 60 evaluations
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "GPRegressor: takes about 60 s"
    assert lines[1:-1] == ["GPRegressor: compiling", "GPRegressor: minimizing"] * 2
    assert lines[-1].startswith("GPRegressor: done")


def test_the_expected_time_is_that_of_the_evaluations(monkeypatch):
    """Measured: 451 evaluations of 22 parameters and 107 of 5, from five starts on 1000 rows; 34 to 79 on more."""
    assert 1e-13 < size._seconds_per_cube() < 1e-8  # from 10 000 to 0.1 Gflop/s
    monkeypatch.setattr(size, "_seconds_per_cube", lambda: 1.0)
    assert size.expected_seconds("map", 1000, 22, 4) == pytest.approx(451 * 1000**3, rel=0.1)
    assert size.expected_seconds("map", 1000, 5, 4) == pytest.approx(107 * 1000**3, rel=0.1)
    assert 34 < size.expected_seconds("ml", 3000, 22, 4) / 3000**3 < 79
    assert size.expected_seconds(None, 3000, 22, 4) < 2.0  # one evaluation is not worth a measurement
    assert size.expected_seconds("mcmc", 3000, 22, 4) > 1600 * 3000**3
