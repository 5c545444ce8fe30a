"""The points one step away in the discrete columns, for a local search: never all combinations."""

import numpy as np
from jaxtyping import Float

from credo.represent.space.layout import Layout
from credo.represent.space.parameter import Discrete

__all__ = ["neighbors_of"]


def neighbors_of(layout: Layout, row: Float[np.ndarray, " d"]) -> Float[np.ndarray, "k d"]:
    """The settled rows one step from a settled row; the row itself is not among them.

    At most two for each number or ordered choice, k − 1 for a choice of k options. Parameters that are not active, or
    held, stay; children that a step makes active start in the middle.
    """
    active = layout.active(row[None, :])[0]
    found = []
    for j, parameter in enumerate(layout.parameters):
        if not isinstance(parameter, Discrete) or j in layout.fixed or not active[j]:
            continue
        here = int(parameter.index_of(row[j : j + 1])[0])
        if parameter.column("").kind == "code":
            steps = [index for index in range(parameter.levels) if index != here]
        else:
            steps = [index for index in (here - 1, here + 1) if 0 <= index < parameter.levels]
        rows = np.tile(row, (len(steps), 1))
        rows[:, j] = parameter.column_of(np.array(steps, dtype=np.int64))
        found.append(rows)
    # A child that is not active is in the middle already, and one that is held is where it is held once active.
    return layout.settled(np.concatenate(found)) if found else np.zeros((0, len(row)))
