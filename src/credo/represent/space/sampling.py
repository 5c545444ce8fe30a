"""Points spread over a space more evenly than by chance, all of them allowed."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from credo.errors import InputError
from credo.represent.space.constraints import Constraints, name_of, said
from credo.represent.space.layout import Layout
from credo.represent.space.polytope import Polytope
from credo.represent.space.ranges import Range
from credo.represent.space.walk import corners_of, points_inside

__all__ = ["refuse_impossible", "sampled"]

_BLOCK = 2**12  # rows looked at together
_BY_CHANCE = 2**13  # rows, before the walks inside the linear constraints begin
_RARE = 0.01  # the share of rows, below which they begin
_MOST = 2**18  # rows, before giving up
_EARLY = 2**16  # rows that a new space tries


def sampled(layout: Layout, constraints: Constraints, n: int, rng: np.random.Generator) -> Float[np.ndarray, "n d"]:
    """n settled rows that meet the constraints, from a scrambled Sobol sequence; an `InputError` if too few are found.

    Without constraints it is the sequence itself: over each column, and each few of them, the rows are as even as they
    can be. With constraints rows are left out; where that leaves almost none, the columns of linear constraints come
    from walks inside of them.
    """
    rows = np.zeros((0, len(layout.names)))
    for block in _blocks(layout, constraints, n, rng):
        kept = block[constraints.met(block)] if len(constraints) else block
        rows = np.concatenate([rows, kept])[:n]
        if len(rows) == n:
            return rows
    raise InputError(
        "Space.sample",
        f"only {len(rows)} of {n} points were found that the constraints allow, among {_MOST} tried",
        "What they allow is a very small part of the space",
        "Narrow the bounds, or state constraints as linear ones where they are",
    )


def refuse_impossible(layout: Layout, constraints: Constraints) -> None:
    """Raise an `InputError` that names functions which allow none of many points, alone or together."""
    never, together = list(constraints.functions), bool(constraints.functions)
    tried = 0
    rng = np.random.default_rng(0)
    for block in _blocks(layout, constraints, _BLOCK, rng):
        for point in layout.decode(block[constraints.linear_met(block)]):
            answers = [said(function, point) for function in constraints.functions]
            never = [f for f, answer in zip(constraints.functions, answers, strict=True) if not answer and f in never]
            together &= not all(answers)
            if not together:
                return
        tried += len(block)
        if tried >= _EARLY or not together:
            break
    if together:
        blamed = [name_of(function) for function in never or constraints.functions]
        raise InputError(
            "Space",
            f"{' and '.join(blamed)} allow{'s' * (len(blamed) == 1)} none of {tried} points all over the space"
            + ("" if never else ", together"),
            "It says True where a point is allowed; perhaps it says the contrary, or nobody can meet it",
            "Try it on a point that should be allowed",
        )


def _blocks(
    layout: Layout, constraints: Constraints, n: int, rng: np.random.Generator
) -> Iterator[Float[np.ndarray, "m d"]]:
    """Settled rows in blocks, the first of at least n rows; at most `_MOST` (or 64 n) in all."""
    from scipy.stats import qmc

    sequence = qmc.Sobol(len(layout.names), scramble=True, rng=rng)
    drawn, met, size = 0, 0, 2 ** int(np.ceil(np.log2(max(n, 1))))  # Sobol points come evenly in powers of two
    while drawn < max(_MOST, 64 * n):
        rows = _placed(layout, sequence.random(size))
        met += int(np.sum(constraints.linear_met(rows)))
        drawn += size
        yield rows
        size = min(drawn, _BLOCK)
        if drawn >= _BY_CHANCE and met < _RARE * drawn and constraints.polytope is not None:
            break
    if drawn >= max(_MOST, 64 * n) or constraints.polytope is None:
        return
    ends = corners_of(constraints.polytope, rng)
    size = min(max(4 * n, 64), _BLOCK) if constraints.functions else max(n, 1)
    while drawn < max(_MOST, 64 * n) and len(ends):
        unit = sequence.random(size)
        yield _inside(layout, constraints.polytope, _placed(layout, unit), ends, rng)
        drawn += size


def _placed(layout: Layout, unit: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m d"]:
    columns = [parameter.place(unit[:, j]) for j, parameter in enumerate(layout.parameters)]
    return layout.settled(np.stack(columns, axis=1))


def _inside(
    layout: Layout,
    polytope: Polytope,
    rows: Float[np.ndarray, "m d"],
    ends: Float[np.ndarray, "k q"],
    rng: np.random.Generator,
) -> Float[np.ndarray, "m d"]:
    """The rows with the columns of the linear constraints taken from walks inside of them."""
    points = points_inside(polytope, ends, len(rows), rng)
    rows = rows.copy()
    for k, j in enumerate(polytope.columns):
        parameter = layout.parameters[j]
        assert isinstance(parameter, Range)
        rows[:, j] = parameter.encoded(polytope.low[k] + polytope.scale[k] * points[:, k])
    return layout.settled(rows)
