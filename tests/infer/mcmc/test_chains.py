"""What surrounds the samplers: checks, traced data, pace."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.mcmc import chains
from credo.infer.mcmc.chains import BUFFER, check_starts, collect, stated_problem
from credo.numerics.threads import OneBlasThread


def sum_of_squares(x, shared):
    return -0.5 * jnp.sum(x**2)


def stated(**changes):
    arguments = {"starts": np.zeros((2, 3)), "shared": None, "n_draws": 10, "n_warmup": 0, "names": None} | changes
    return stated_problem("test", sum_of_squares, **arguments)


class Counter:
    def __init__(self):
        self.steps = []

    def phase(self, name):
        """Not looked at."""

    def advance(self, steps=1):
        self.steps.append(steps)


def test_data_become_arrays_and_structure_stays():
    problem = stated(shared={"x": np.arange(3), "scale": 2.0, "flag": True, "name": "a"})
    assert isinstance(problem.shared["x"], jax.Array)
    assert isinstance(problem.shared["scale"], jax.Array)
    assert problem.shared["flag"] is True
    assert problem.shared["name"] == "a"


def test_a_vector_is_one_chain():
    assert stated(starts=np.zeros(3)).starts.shape == (1, 3)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"starts": np.zeros((2, 2, 2))}, r"starts have shape \(2, 2, 2\)"),
        ({"starts": np.zeros((0, 3))}, r"starts have shape \(0, 3\)"),
        ({"starts": [[np.nan, 0.0]]}, "not all finite"),
        ({"n_draws": 3}, "n_draws is 3"),
        ({"n_warmup": -1}, "n_warmup is -1"),
        ({"names": ["a"]}, "1 names for 3 coordinates"),
    ],
    ids=["cube", "none", "nan", "few draws", "negative warm-up", "names"],
)
def test_what_cannot_be_sampled_is_refused(changes, what):
    with pytest.raises(InputError, match=f"^test: .*{what}"):
        stated(**changes)


def test_a_density_that_is_no_number_is_refused():
    with pytest.raises(InputError, match=r"returns an array of shape \(3,\)"):
        stated_problem("test", lambda x, shared: x, np.zeros((2, 3)), None, 10, 0, None)


def test_starts_without_density_or_gradient_are_named():
    check_starts("test", jnp.zeros(3), jnp.zeros((3, 2)))
    with pytest.raises(InputError, match=r"the log density at start 1 is not finite \(2 of 3"):
        check_starts("test", jnp.array([0.0, -jnp.inf, jnp.nan]))
    with pytest.raises(InputError, match="the gradient of the log density at start 2"):
        check_starts("test", jnp.zeros(3), jnp.zeros((3, 2)).at[2, 0].set(jnp.nan))


@pytest.mark.parametrize("total", [1, 7, BUFFER, 5 * BUFFER + 3])
def test_draws_come_in_order_and_are_told(total):
    made = []

    def advance(count):
        assert count <= BUFFER
        first = len(made)
        made.extend(range(first, first + count))
        values = np.arange(first, first + count, dtype=float)[None, :, None]
        return values, -values[..., 0]

    track = Counter()
    values, densities = collect(advance, total, track)
    np.testing.assert_array_equal(values[0, :, 0], np.arange(total))
    np.testing.assert_array_equal(densities, -values[..., 0])
    assert sum(track.steps) == total


def test_slow_work_is_told_draw_by_draw_and_fast_work_in_full_buffers(monkeypatch):
    seconds = iter(np.cumsum(np.tile([0.0, 10.0], 40)))  # ten seconds a call
    monkeypatch.setattr(chains.time, "perf_counter", lambda: next(seconds))
    track = Counter()
    collect(lambda count: (np.zeros((1, count, 1)), np.zeros((1, count))), 12, track)
    assert track.steps == [1] * 12
    monkeypatch.undo()
    track = Counter()
    collect(lambda count: (np.zeros((1, count, 1)), np.zeros((1, count))), 1 + 3 * BUFFER, track)
    assert track.steps == [1, BUFFER, BUFFER, BUFFER]


def test_small_data_get_one_thread():
    assert isinstance(stated(shared=np.zeros(511)).threads(), OneBlasThread)
    assert isinstance(stated().threads(), OneBlasThread)
    assert not isinstance(stated(shared=(np.zeros(512), 1.0)).threads(), OneBlasThread)
