r"""Slice sampling: draws from a density that can be evaluated and nothing more.

A chain at $x$ draws a level $\log y = \log f(x) - e$, $e \sim \text{Exp}(1)$, and then a point uniformly from the part
of a line through $x$ where $\log f$ is above that level, which stepping out brackets and shrinkage finds (Neal 2003,
figures 3 and 5). The lines of one draw are the principal directions of the warm-up (Tibbits, Groendyke, Haran &
Liechty 2014), one after the other.

A step of a chain is one evaluation, wherever in its bracket search it happens to be, and a batched step is one for
every chain. So no chain waits for another one's bracket, only for the end of a stretch of draws: 98% of evaluations
were measured to be useful, and the density is compiled once.
"""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from credo.errors import InputError
from credo.infer.mcmc.chains import BUFFER, LogDensity, Problem, check_starts, collect, stated_problem
from credo.infer.mcmc.draws import Draws
from credo.infer.mcmc.report import certified
from credo.infer.mcmc.warmup import LEAST_WINDOW, doubling_windows, pooled_covariance, principal_directions
from credo.numerics.certificate import Solution
from credo.numerics.progress import SilentTracker, Tracker
from credo.numerics.random import RandomState, as_key

__all__ = ["slice_sample"]

_STEPS = 64  # of stepping out in one bracket, both sides together: a flat density ends, and the target stays exact
_DEVIATIONS = 4.0  # width of a step in standard deviations; from 3 to 5 the evaluations a draw were measured the same


def slice_sample(
    log_density: LogDensity,
    starts: Any,
    *,
    shared: Any = None,
    n_draws: int = 500,
    n_warmup: int = 200,
    width: Any = 1.0,
    names: Any = None,
    random_state: RandomState = None,
    progress: Tracker | None = None,
    who: str = "slice_sample",
) -> Solution[Draws]:
    r"""Draws from the density $\propto e^{\text{log\_density}(x, \text{shared})}$ on $\mathbb R^p$, without gradients.

    The robust choice for a few coordinates (p up to about ten) and for densities with walls. One draw updates the
    vector along p directions at some 5 evaluations each.

    Parameters
    ----------
    log_density
        A pure JAX function of a vector of shape (p,) and of `shared`, best defined at module level: it is part of the
        key under which the compiled sampler is kept. Where it is not finite there is a wall.
    starts
        One row for each chain, (chains, p), where the density is positive; better spread out than alike. Shape (p,)
        is one chain.
    shared
        A pytree of data. Arrays and floats are traced: new ones of the same shape compile nothing.
    n_draws, n_warmup
        Draws of each chain that are kept, and those before them that are not, from which the chains together learn
        directions and widths.
    width
        The width of a step before anything is learned, one for all coordinates or one for each. A wrong one costs
        evaluations, not validity.
    names
        Of the coordinates, for messages and for the draws.
    random_state
        The same one gives the same draws.
    progress
        Told "compiling", "warming up" and "sampling", and of each draw, warm-up included.
    who
        In whose name errors and warnings speak.

    Notes
    -----
    The certificate is "estimated"; see it for R-hat, effective sample sizes and evaluations. It says "stopped early",
    and a `ConvergenceWarning` is given, when R-hat exceeds 1.05 or an effective sample size is below 100. `info` has
    the diagnostics of each coordinate and the ``directions``.

    >>> def standard_normal(x, shared):
    ...     return -0.5 * jnp.sum(x**2)
    >>> solution = slice_sample(standard_normal, np.zeros((4, 2)), random_state=0)
    >>> solution.value.values.shape, solution.certificate.converged
    ((4, 500, 2), True)
    """
    problem = stated_problem(who, log_density, starts, shared, n_draws, n_warmup, names)
    track = progress if progress is not None else SilentTracker()
    with problem.threads():
        track.phase("compiling")
        sampler = _Sampler(who, problem, _checked_width(who, width, problem.starts.shape[1]), as_key(random_state))
        track.phase("warming up")
        for size in doubling_windows(problem.n_warmup):
            values, _ = collect(sampler.advance, size, track)
            if size >= LEAST_WINDOW:
                sampler.directions = _DEVIATIONS * principal_directions(pooled_covariance(values))
        track.phase("sampling")
        values, densities = collect(sampler.advance, problem.n_draws, track)
    draws = Draws(jnp.asarray(values), jnp.asarray(densities), problem.names)
    return certified(
        who,
        draws,
        n_warmup=problem.n_warmup,
        notes=[f"{sampler.evaluations} evaluations of the density"],
        info={"evaluations": sampler.evaluations, "directions": sampler.directions},
    )


class _Chain(NamedTuple):
    """A chain between two evaluations. Its line is position + t · direction, and its bracket is left ≤ t ≤ right."""

    position: Array
    log_density: Array
    level: Array
    left: Array
    right: Array
    steps_left: Array  # that stepping out may still take; zero once the end of the bracket is found
    steps_right: Array
    axis: Array  # which direction
    draws: Array  # finished in this stretch
    evaluations: Array


class _Sampler:
    """The chains and the directions they move along, on the host."""

    def __init__(self, who: str, problem: Problem, width: np.ndarray, key: Array) -> None:
        self.problem, self.directions = problem, np.diag(width)
        self._keys = jax.random.split(key, problem.starts.shape[0])
        densities = _evaluate(problem.log_density, problem.starts, problem.shared)
        check_starts(who, densities)
        self._chains = _begin(problem.starts, densities, self._keys)
        self.advance(0)  # compiles

    @property
    def evaluations(self) -> int:
        """Of the density so far, by all chains."""
        return int(np.sum(np.asarray(self._chains.evaluations)))

    def advance(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """`count` more draws of each chain, and their log densities."""
        self._chains, values, densities = _advance(
            self.problem.log_density,
            self.problem.shared,
            self._chains,
            self._keys,
            jnp.asarray(self.directions),
            jnp.asarray(count),
        )
        return np.asarray(values)[:, :count], np.asarray(densities)[:, :count]


@eqx.filter_jit
def _evaluate(log_density: LogDensity, points: Array, shared: Any) -> Array:
    return jax.vmap(lambda x: log_density(x, shared))(points)


@jax.jit
def _begin(positions: Array, densities: Array, keys: Array) -> _Chain:
    def one(position: Array, density: Array, key: Array) -> _Chain:
        zero = jnp.zeros((), dtype=int)
        uniform = jax.random.uniform(jax.random.fold_in(key, 0), (5,))
        return _Chain(position, density, *_new_bracket(density, uniform), zero, zero, zero)

    return jax.vmap(one)(positions, densities, keys)


@eqx.filter_jit
def _advance(
    log_density: LogDensity, shared: Any, chains: _Chain, keys: Array, directions: Array, count: Array
) -> tuple[_Chain, Array, Array]:
    """Evaluate, for all chains at once, until each has made `count` draws; one that has them stays as it is."""

    def unfinished(state: tuple[_Chain, Array, Array]) -> Array:
        return jnp.any(state[0].draws < count)

    def one(chain: _Chain, key: Array, values: Array, densities: Array) -> tuple[_Chain, Array, Array]:
        stepped = _step(log_density, shared, chain, key, directions)
        live = chain.draws < count
        stepped = jax.tree.map(lambda new, old: jnp.where(live, new, old), stepped, chain)
        # The row of a draw is overwritten until the draw is finished.
        values = values.at[chain.draws].set(stepped.position, mode="drop")
        return stepped, values, densities.at[chain.draws].set(stepped.log_density, mode="drop")

    def batched(state: tuple[_Chain, Array, Array]) -> tuple[_Chain, Array, Array]:
        return jax.vmap(one)(state[0], keys, *state[1:])

    number, p = chains.position.shape
    chains = chains._replace(draws=jnp.zeros_like(chains.draws))
    return jax.lax.while_loop(
        unfinished, batched, (chains, jnp.zeros((number, BUFFER, p)), jnp.zeros((number, BUFFER)))
    )


def _step(log_density: LogDensity, shared: Any, chain: _Chain, key: Array, directions: Array) -> _Chain:
    """One evaluation: at the left end of the bracket, at its right end, or, once both are out, somewhere inside."""
    uniform = jax.random.uniform(jax.random.fold_in(key, chain.evaluations + 1), (5,))
    leftward = chain.steps_left > 0
    rightward = ~leftward & (chain.steps_right > 0)
    shrinking = ~leftward & ~rightward
    within = chain.left + uniform[4] * (chain.right - chain.left)
    t = jnp.where(leftward, chain.left, jnp.where(rightward, chain.right, within))
    proposal = chain.position + t * directions[chain.axis]
    value = log_density(proposal, shared)
    # A bracket that rounding has closed holds the chain where it is, whatever the last digit of the density says.
    unmoved = jnp.all(proposal == chain.position)
    value = jnp.where(unmoved, chain.log_density, value)
    inside = unmoved | (jnp.isfinite(value) & (value >= chain.level))
    searched = chain._replace(
        left=jnp.where(leftward & inside, t - 1.0, jnp.where(shrinking & (t < 0.0), t, chain.left)),
        right=jnp.where(rightward & inside, t + 1.0, jnp.where(shrinking & (t >= 0.0), t, chain.right)),
        steps_left=jnp.where(leftward, jnp.where(inside, chain.steps_left - 1, 0), chain.steps_left),
        steps_right=jnp.where(rightward, jnp.where(inside, chain.steps_right - 1, 0), chain.steps_right),
        evaluations=chain.evaluations + 1,
    )
    last = chain.axis == directions.shape[0] - 1
    moved = _Chain(
        proposal,
        value,
        *_new_bracket(value, uniform),
        axis=jnp.where(last, 0, chain.axis + 1),
        draws=chain.draws + last,
        evaluations=chain.evaluations + 1,
    )
    return jax.tree.map(lambda new, old: jnp.where(shrinking & inside, new, old), moved, searched)


def _new_bracket(log_density: Array, uniform: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Level, ends, steps to either side: a bracket of width one around t = 0, placed at random, as the steps are."""
    steps_left = jnp.floor(_STEPS * uniform[2]).astype(int)
    left = -uniform[1]
    return log_density + jnp.log1p(-uniform[0]), left, left + 1.0, steps_left, _STEPS - 1 - steps_left


def _checked_width(who: str, width: Any, p: int) -> np.ndarray:
    values = np.asarray(width, dtype=np.float64)
    if values.shape not in ((), (p,)) or not np.all(np.isfinite(values) & (values > 0.0)):
        raise InputError(
            who, f"width is {width}", f"It is one positive number, or one for each of {p} coordinates", "Try width=1.0"
        )
    return np.broadcast_to(values, (p,))
