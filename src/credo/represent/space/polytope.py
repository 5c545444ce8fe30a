"""The set that linear constraints leave of a box: whether there is any point in it, and points far apart in it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from credo.errors import InputError
from credo.represent.space.layout import Layout
from credo.represent.space.linear import Linear
from credo.represent.space.ranges import Grid, Range

__all__ = ["Polytope", "corners", "polytope_of", "refuse_contradictions"]

_TOLERANCE = 1e-10  # of the solver; rows are scaled so that it is relative
_SECONDS = 20.0  # for the search of one whole-numbered point


class Polytope(NamedTuple):
    r"""$A s \le b$ and $0 \le s \le \text{upper}$, for the numbers $\text{low} + \text{scale}\, s$ of some columns.

    Real columns run from 0 to 1, those that are counted (`whole`) in steps of one. Held columns are in b. Rows of A are
    scaled so that the sum of what their terms may reach is one.
    """

    columns: Int[np.ndarray, " q"]
    low: Float[np.ndarray, " q"]
    scale: Float[np.ndarray, " q"]
    upper: Float[np.ndarray, " q"]
    whole: Bool[np.ndarray, " q"]
    log: Bool[np.ndarray, " q"]
    A: Float[np.ndarray, "m q"]
    b: Float[np.ndarray, " m"]


def polytope_of(layout: Layout, constraints: Sequence[Linear]) -> Polytope | None:
    """What the constraints say of columns that are always active and not held; None if that is nothing."""
    always = [c for c in constraints if all(not layout.conditions[layout.names.index(name)] for name in c.weights)]
    named = {layout.names.index(name) for c in always for name in c.weights}
    columns = sorted(named - set(layout.fixed))
    if not columns:
        return None
    ranges = {j: layout.parameters[j] for j in named}
    assert all(isinstance(r, Range) for r in ranges.values())
    low = np.array([ranges[j].low for j in columns], dtype=np.float64)  # type: ignore[attr-defined]
    high = np.array([ranges[j].high for j in columns], dtype=np.float64)  # type: ignore[attr-defined]
    spacings = [r.spacing if isinstance(r, Grid) else 0.0 for r in (ranges[j] for j in columns)]
    whole = np.array(spacings) > 0.0
    scale = np.where(whole, spacings, high - low)
    upper = np.where(whole, np.rint((high - low) / scale), 1.0)
    rows, bounds = [], []
    for constraint in always:
        for weights, most in constraint.one_sided():
            by_column = dict(zip((layout.names.index(name) for name in constraint.weights), weights, strict=True))
            row = np.array([by_column.get(j, 0.0) for j in columns])
            held = sum(c * float(layout.held[j]) for j, c in by_column.items() if j in layout.fixed)
            reach = float(np.abs(row) @ (high - low)) or 1.0
            rows.append(row * scale / reach)
            bounds.append((most - held - float(row @ low)) / reach)
    log = np.array([ranges[j].log for j in columns])  # type: ignore[attr-defined]
    return Polytope(np.array(columns), low, scale, upper, whole, log, np.array(rows), np.array(bounds))


def refuse_contradictions(layout: Layout, constraints: Sequence[Linear]) -> None:
    """Raise an `InputError` that names the linear constraints that no point meets, alone or together."""
    for some in [*([constraint] for constraint in constraints), list(constraints)]:
        polytope = polytope_of(layout, some)
        if polytope is None:
            _refuse_held(layout, some)
        elif _no_point_in(polytope):
            listed = "; ".join(str(constraint) for constraint in some)
            together = "are met together by" if len(some) > 1 else "is met by"
            raise InputError(
                "Space",
                f"the constraint{'s' * (len(some) > 1)} {listed} {together} no point between the bounds",
                "A sign is the wrong way round, or a bound (or what is held) is too narrow",
                "Widen a bound, or leave a constraint out",
            )


def _refuse_held(layout: Layout, constraints: Sequence[Linear]) -> None:
    """Constraints whose parameters are all held, or not always active."""
    for constraint in constraints:
        columns = {name: layout.names.index(name) for name in constraint.weights}
        if all(j in layout.fixed and not layout.conditions[j] for j in columns.values()):
            held = {name: np.array([float(layout.held[j])]) for name, j in columns.items()}
            if not constraint.holds(held, {name: abs(value[0]) for name, value in held.items()})[0]:
                what = f"what is held does not meet the constraint {constraint}"
                raise InputError("Space", what, f"It holds {_plain(held)}", "Hold other values")


def _plain(held: dict[str, np.ndarray]) -> str:
    return ", ".join(f"{name} = {value[0]:g}" for name, value in held.items())


def _no_point_in(polytope: Polytope) -> bool:
    return _extreme(polytope, np.zeros(len(polytope.columns))) is None


def _extreme(polytope: Polytope, direction: Float[np.ndarray, " q"]) -> Float[np.ndarray, " q"] | None:
    """The point farthest along minus `direction`; None if there is no point, or none was found in time."""
    from scipy.optimize import linprog

    def solve(bounds: np.ndarray, integrality: np.ndarray | None) -> np.ndarray | None:
        options: dict[str, float] = {"primal_feasibility_tolerance": _TOLERANCE, "time_limit": _SECONDS}
        answer = linprog(
            direction, polytope.A, polytope.b, bounds=bounds, integrality=integrality, options=options, method="highs"
        )
        return None if answer.x is None else np.asarray(answer.x)

    box = np.stack([np.zeros_like(polytope.upper), polytope.upper], axis=1)
    if not np.any(polytope.whole):
        return solve(box, None)
    found = solve(box, polytope.whole.astype(int))
    if found is None:
        return None
    # The solver's whole numbers are whole to 1e-6: round them, and solve for the rest once more.
    rounded = np.rint(found[polytope.whole])
    box[polytope.whole] = rounded[:, None]
    exact = solve(box, None)
    return found if exact is None else exact


def corners(polytope: Polytope, number: int, rng: np.random.Generator) -> Float[np.ndarray, "k q"]:
    """Points in random directions as far out as possible. Each costs a linear program."""
    directions = rng.standard_normal((number, len(polytope.columns))) / np.maximum(polytope.upper, 1.0)
    found = [point for point in (_extreme(polytope, direction) for direction in directions) if point is not None]
    inside = [np.clip(point, 0.0, polytope.upper) for point in found]
    return np.array(inside).reshape(-1, len(polytope.columns))
