"""A suggestion in a trust region: a function is drawn, and the least of it among candidates in the box is taken."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import jax
import numpy as np
from jaxtyping import Bool, Float

from credo.decide.acquisitions import GPSurface
from credo.decide.acquisitions.free import APART, first_free
from credo.decide.acquisitions.maximize import evaluated
from credo.decide.study.known import Known
from credo.decide.study.prepare import Prepared, prepare
from credo.decide.study.reasons import reason_of
from credo.decide.study.repeats import with_repeat
from credo.decide.study.setup import Setup
from credo.decide.study.surrogates import is_single_process
from credo.decide.study.trust_region import Region, candidates_in, trust_region
from credo.decide.study.why import Why
from credo.kernels import Kernel, On

__all__ = ["column_lengthscales", "suggest_in_region"]

_CANDIDATES = 2048
_APART_IN_BOX = 0.1  # of its side, by which a suggestion differs at least from what is under way


def suggest_in_region(
    setup: Setup,
    known: Known,
    generator: np.random.Generator,
    *,
    context: Mapping[str, Any] | None = None,
    starts: Sequence[Sequence[float]] = (),
    seed: int = 0,
) -> tuple[Float[np.ndarray, " d"], Why]:
    """The next row by TuRBO (Eriksson et al. 2019), and why. The surrogate learns from trials since the last restart.

    With the default acquisition it is a drawn function's least candidate, as in the paper; another one, or a cost, is
    maximized over the same candidates. Trials that failed count neither for nor against the region; those that broke
    bounds are behind all that kept them.
    """
    assert setup.initial is not None
    space, values = setup.within(context), _merits(known)
    bounded = np.array([kind.kind != "code" for kind in space.column_kinds])
    begun = trust_region(known.rows, values, np.ones(len(space)), initial=setup.initial, bounded=bounded)
    if begun.designing:
        row = first_free(space, space.sample_rows(1, generator), np.zeros(1), known.taken, "ask").row
        note = f"restart {begun.restarts} of the trust region"
        return row, Why("start", acquisition=setup.acquisition, note=note)
    ours = _since(known, begun.members)
    prepared = prepare(_drawn(setup), ours, generator, context=context, starts=starts, seed=seed)
    surface = prepared.surfaces[0]
    lengths = np.ones(len(space))
    if isinstance(surface, GPSurface):
        lengths = column_lengthscales(surface.posterior.process.kernel, len(space)) * np.asarray(surface.scale)
    region = trust_region(known.rows, values, lengths, initial=setup.initial, bounded=bounded)
    row = _best_candidate(prepared, known, region, generator)
    why = reason_of(setup, prepared, row)
    note = f"in a trust region of side {region.length:.3g}"
    why = replace(why, note=f"{note}; {why.note}" if why.note else note)
    return row, with_repeat(why, known, prepared.beliefs, row)


def _drawn(setup: Setup) -> Setup:
    codes = any(kind.kind == "code" for kind in setup.space.column_kinds)  # of which no function is drawn
    plain = setup.acquisition == "log_ei" and setup.cost is None and setup.goal.cost is None and not codes
    drawn = plain and is_single_process(setup) and not setup.robust and not setup.fidelity
    return replace(setup, acquisition="thompson") if drawn else setup


def _merits(known: Known) -> Float[np.ndarray, " n"]:
    """What trials are ranked by: what kept the bounds by its value, behind it the rest by how far it missed them."""
    values = known.values[:, 0]
    if not known.excess.shape[1]:
        return values
    missing = np.maximum(known.excess, 0.0)
    missing = np.sum(missing / np.maximum(np.std(known.excess, axis=0), np.finfo(float).tiny), axis=1)
    if not np.any(known.met):
        return missing
    kept = values[known.met]
    return np.where(known.met, values, np.max(kept) + (np.std(kept) or 1.0) * missing)


def _since(known: Known, members: Bool[np.ndarray, " n"]) -> Known:
    """What is known since the last restart."""
    costs = None if known.costs is None else known.costs[members]
    return known._replace(
        rows=known.rows[members],
        values=known.values[members],
        excess=known.excess[members],
        costs=costs,
        numbers=tuple(np.array(known.numbers)[members].tolist()),
        ahead=known.ahead[members],
    )


def _best_candidate(
    prepared: Prepared, known: Known, region: Region, generator: np.random.Generator
) -> Float[np.ndarray, " d"]:
    space = prepared.space
    rows = space.snap(candidates_in(region, space.sample_rows(_CANDIDATES, generator), generator))
    rows = rows[space.allowed(rows)]
    rows = rows if len(rows) else space.sample_rows(_CANDIDATES, generator)
    values = evaluated(prepared.acquisition, rows)
    least = min(APART, _APART_IN_BOX * region.length)
    return first_free(space, rows, values, known.taken, "ask", away=known.pending, least=least).row


def column_lengthscales(kernel: Kernel, d: int) -> Float[np.ndarray, " d"]:
    """Of each column, wherever a kernel has one for it; one elsewhere."""
    found = np.ones(d)
    for part in jax.tree.leaves(kernel, is_leaf=lambda node: isinstance(node, On) or hasattr(node, "lengthscale")):
        if isinstance(part, On):
            columns = np.array(part.columns)
            found[columns] = column_lengthscales(part.kernel, len(columns))
        elif hasattr(part, "lengthscale"):
            found[:] = np.broadcast_to(np.asarray(part.lengthscale), d)
    return found
