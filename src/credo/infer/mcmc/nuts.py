r"""The no-U-turn sampler: Hamiltonian trajectories that end where they turn back (Hoffman & Gelman 2014).

The transition is BlackJAX's, with multinomial weights along the trajectory (Betancourt 2017), and so is dual averaging
of the step size. All chains learn together in windows that double: one step size, from the mean of their acceptance
rates, and one mass matrix, from the covariance of all their draws in a window. With that, less than half of the
evaluations of Stan's schedule were measured to be needed on a badly scaled target, and as many on others. It runs a
few draws at a time, so that progress can be told, and warm-up and sampling share one compiled function.
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
from credo.infer.mcmc.warmup import doubling_windows, pooled_covariance
from credo.numerics.certificate import Solution
from credo.numerics.progress import SilentTracker, Tracker
from credo.numerics.random import RandomState, as_key

__all__ = ["nuts"]

_LEAST_WARMUP = 20  # one window for the mass matrix and a few draws for the step size
_DENSE_UP_TO = 100  # coordinates with a full mass matrix; a larger one has more entries than a warm-up can teach


def nuts(
    log_density: LogDensity,
    starts: Any,
    *,
    shared: Any = None,
    n_draws: int = 500,
    n_warmup: int = 500,
    target_acceptance: float = 0.8,
    max_doublings: int = 10,
    names: Any = None,
    random_state: RandomState = None,
    progress: Tracker | None = None,
    who: str = "nuts",
) -> Solution[Draws]:
    r"""Draws from the density $\propto e^{\text{log\_density}(x, \text{shared})}$ on $\mathbb R^p$, using its gradient.

    The choice for smooth densities of more than about ten coordinates. One draw costs $2^k - 1$ gradients, k up to
    `max_doublings`; 3 to 15 are usual for posteriors near a Gaussian. All chains wait for the longest trajectory.

    Parameters
    ----------
    log_density
        A pure, differentiable JAX function of a vector of shape (p,) and of `shared`, best defined at module level: it
        is part of the key under which the compiled sampler is kept. Where it is not finite there is a wall, which
        trajectories bounce off inefficiently; [](#credo.infer.slice_sample) is better there.
    starts
        One row for each chain, (chains, p), where the density is positive; better spread out than alike. Shape (p,)
        is one chain.
    shared
        A pytree of data. Arrays and floats are traced: new ones of the same shape compile nothing.
    n_draws, n_warmup
        Draws of each chain that are kept, and those before them (20 at least) that tune step size and mass matrix.
    target_acceptance
        Mean acceptance rate at which the step size is tuned. Larger, up to 0.99, is slower and has fewer divergences.
    max_doublings
        The longest trajectory has two to this power steps.
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
    The certificate is "estimated"; see it for R-hat, effective sample sizes, divergences and evaluations. It says
    "stopped early", and a `ConvergenceWarning` is given, when R-hat exceeds 1.05, an effective sample size is below
    100, or more than 1% of the draws are divergent. `info` has the diagnostics of each coordinate, the ``step_size``,
    the ``inverse_mass`` and how many draws were ``truncated`` at the longest trajectory.

    >>> def standard_normal(x, shared):
    ...     return -0.5 * jnp.sum(x**2)
    >>> solution = nuts(standard_normal, np.zeros((4, 2)), n_warmup=200, random_state=0)
    >>> solution.value.values.shape, solution.certificate.converged
    ((4, 500, 2), True)
    """
    problem = stated_problem(who, log_density, starts, shared, n_draws, n_warmup, names)
    _check_tuning(who, n_warmup, target_acceptance, max_doublings)
    track = progress if progress is not None else SilentTracker()
    with problem.threads():
        track.phase("compiling")
        sampler = _Sampler(who, problem, as_key(random_state), float(target_acceptance), int(max_doublings))
        track.phase("warming up")
        for size, learns_mass in _windows(problem.n_warmup):
            values, _ = collect(sampler.advance, size, track)
            if learns_mass:
                sampler.learn_mass(values)
        track.phase("sampling")
        sampler.stop_adapting()
        values, densities = collect(sampler.advance, problem.n_draws, track)
    counts = {name: int(count) for name, count in sampler.counts._asdict().items()}
    return certified(
        who,
        Draws(jnp.asarray(values), jnp.asarray(densities), problem.names),
        n_warmup=problem.n_warmup,
        divergences=counts["divergences"],
        notes=_notes(counts),
        info={**counts, "step_size": sampler.step_size, "inverse_mass": sampler.inverse_mass},
    )


class _Counts(NamedTuple):
    """What happened, summed over chains: evaluations since the beginning, the rest since adapting has stopped."""

    evaluations: Array
    divergences: Array
    truncated: Array


class _State(NamedTuple):
    """All chains (BlackJAX's state, batched), the state of dual averaging, the transitions so far, what happened."""

    walkers: Any
    averaging: Any
    iteration: Array
    counts: _Counts


class _Sampler:
    """The chains with their step size and mass matrix, on the host."""

    def __init__(self, who: str, problem: Problem, key: Array, target: float, max_doublings: int) -> None:
        chains, p = problem.starts.shape
        self._problem, self._target, self._max_doublings = problem, jnp.asarray(target), max_doublings
        self.inverse_mass = np.eye(p) if p <= _DENSE_UP_TO else np.ones(p)
        self._keys, self._adapting = jax.random.split(key, chains), True
        walkers = _begin(problem.log_density, problem.starts, problem.shared)
        check_starts(who, walkers.logdensity, walkers.logdensity_grad)
        self._state = _State(walkers, _averaging_from(1.0), jnp.zeros((), dtype=int), _no_counts())
        self.advance(0)  # compiles

    @property
    def counts(self) -> _Counts:
        """What happened so far."""
        return self._state.counts

    @property
    def step_size(self) -> float:
        """The one that dual averaging has settled on."""
        return float(jnp.exp(self._state.averaging.log_step_size_avg))

    def advance(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """`count` more draws of each chain, and their log densities."""
        self._state, values, densities = _advance(
            self._problem.log_density,
            self._problem.shared,
            self._state,
            self._keys,
            jnp.asarray(self.inverse_mass),
            self._target,
            jnp.asarray(self._adapting),
            jnp.asarray(count),
            self._max_doublings,
        )
        return np.asarray(values)[:, :count], np.asarray(densities)[:, :count]

    def learn_mass(self, values: np.ndarray) -> None:
        """Take the covariance of the draws for the inverse mass, and start the search for a step size anew."""
        covariance = pooled_covariance(values)
        self.inverse_mass = covariance if self.inverse_mass.ndim == 2 else np.diagonal(covariance).copy()
        self._state = self._state._replace(averaging=_averaging_from(self.step_size))

    def stop_adapting(self) -> None:
        """From here on the chains keep their step size, and their draws count."""
        self._adapting = False
        evaluations = self._state.counts.evaluations
        self._state = self._state._replace(counts=_no_counts()._replace(evaluations=evaluations))


@eqx.filter_jit
def _begin(log_density: LogDensity, points: Array, shared: Any) -> Any:
    from blackjax.mcmc import nuts as kernel

    return jax.vmap(lambda x: kernel.init(x, lambda z: log_density(z, shared)))(points)


@eqx.filter_jit
def _advance(
    log_density: LogDensity,
    shared: Any,
    state: _State,
    keys: Array,
    inverse_mass: Array,
    target: Array,
    adapting: Array,
    count: Array,
    max_doublings: int,
) -> tuple[_State, Array, Array]:
    """`count` transitions of all chains in lockstep; dual averaging follows their mean acceptance while `adapting`."""
    from blackjax.adaptation.step_size import dual_averaging_adaptation
    from blackjax.mcmc import nuts as kernel

    _, update, _ = dual_averaging_adaptation(target)
    transition = kernel.build_kernel()

    def walled(x: Array) -> Array:
        value = log_density(x, shared)
        return jnp.where(jnp.isfinite(value), value, -jnp.inf)

    def draw(i: Array, carry: tuple[_State, Array, Array]) -> tuple[_State, Array, Array]:
        (walkers, averaging, iteration, counts), values, densities = carry
        step_size = jnp.exp(jnp.where(adapting, averaging.log_step_size, averaging.log_step_size_avg))

        def one(key: Array, walker: Any) -> Any:
            return transition(
                jax.random.fold_in(key, iteration), walker, walled, step_size, inverse_mass, max_doublings
            )

        walkers, info = jax.vmap(one)(keys, walkers)
        adapted = update(averaging, jnp.mean(info.acceptance_rate))
        averaging = jax.tree.map(lambda new, old: jnp.where(adapting, new, old), adapted, averaging)
        counts = _Counts(
            counts.evaluations + jnp.sum(info.num_integration_steps),
            counts.divergences + jnp.sum(info.is_divergent),
            counts.truncated + jnp.sum(info.num_trajectory_expansions >= max_doublings),
        )
        state = _State(walkers, averaging, iteration + 1, counts)
        return state, values.at[:, i].set(walkers.position), densities.at[:, i].set(walkers.logdensity)

    chains, p = state.walkers.position.shape
    return jax.lax.fori_loop(0, count, draw, (state, jnp.zeros((chains, BUFFER, p)), jnp.zeros((chains, BUFFER))))


def _averaging_from(step_size: float) -> Any:
    from blackjax.adaptation.step_size import dual_averaging_adaptation

    begin, _, _ = dual_averaging_adaptation(0.8)  # the target is not looked at here
    # Strong types, as the update returns them: a weak one would be another compilation.
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype=jnp.result_type(leaf)), begin(jnp.asarray(step_size)))


def _no_counts() -> _Counts:
    return _Counts(*(jnp.zeros((), dtype=int) for _ in _Counts._fields))


def _windows(n_warmup: int) -> list[tuple[int, bool]]:
    """Stretches of draws, and whether the mass matrix is learned from each; in the last the step size alone settles."""
    last = min(max(n_warmup // 5, 5), 50)
    return [*((size, True) for size in doubling_windows(n_warmup - last)), (last, False)]


def _notes(counts: dict[str, int]) -> list[str]:
    evaluations = f"{counts['evaluations']} evaluations of the density and its gradient"
    truncated = f"{counts['truncated']} draws ended at the longest trajectory"
    return [evaluations, truncated] if counts["truncated"] else [evaluations]


def _check_tuning(who: str, n_warmup: int, target_acceptance: float, max_doublings: int) -> None:
    if n_warmup < _LEAST_WARMUP:
        raise InputError(
            who,
            f"n_warmup is {n_warmup}",
            f"Step size and mass matrix take {_LEAST_WARMUP} draws at least, and a few hundred to be good",
            "Try n_warmup=500, or slice_sample, which needs none",
        )
    if not 0.0 < target_acceptance < 1.0:
        raise InputError(
            who, f"target_acceptance is {target_acceptance}", "It is a mean probability", "Try target_acceptance=0.8"
        )
    if max_doublings < 1:
        raise InputError(who, f"max_doublings is {max_doublings}", "A trajectory has a step", "Try max_doublings=10")
