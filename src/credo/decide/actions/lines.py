r"""How much it is worth to know a normal number before choosing one of several lines.

Of lines $c_a + d_a x$, those that are lowest somewhere, ordered by falling slope, meet at $x_1 < x_2 < …$. With $x \sim
\mathcal{N}(\mu, \sigma^2)$ the gain is $\min_a \mathbb{E} - \mathbb{E}\min_a = \sigma\sum_i (d_i - d_{i+1})\,h(-|x_i -
\mu|/\sigma)$ with $h(z) = \varphi(z) + z\,\Phi(z)$, a sum of positive terms (Frazier, Powell and Dayanik 2009).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from credo.decide.actions.loss import Loss
from credo.decide.actions.numeric import LinearLoss, Squared
from credo.numerics import log_expected_excess

__all__ = ["gain_of_lines", "lines_of", "lower_envelope"]


def lines_of(loss: Loss, actions: Sequence[Any]) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, " m"]] | None:
    """Intercepts and slopes of the actions in y, up to what all of them have in common; None if they are not linear."""
    if isinstance(loss, LinearLoss):
        return np.asarray(loss.intercepts), np.asarray(loss.slopes)
    if isinstance(loss, Squared):  # y² is common to all
        a = np.asarray(actions, dtype=np.float64)
        return a**2, -2.0 * a
    return None


def lower_envelope(
    intercepts: Float[np.ndarray, " m"], slopes: Float[np.ndarray, " m"]
) -> tuple[Float[np.ndarray, " p"], Float[np.ndarray, " p"]]:
    """Where the lowest of the lines changes, and by how much its slope falls there. O(m log m).

    >>> places, falls = lower_envelope(np.array([0.0, 1.0]), np.array([0.0, -2.0]))
    >>> places.tolist(), falls.tolist()
    ([0.5], [2.0])
    """
    order = np.lexsort((intercepts, -slopes))
    kept: list[int] = []
    places: list[float] = []
    for j in order:
        if kept and slopes[j] == slopes[kept[-1]]:  # parallel, and not lower
            continue
        while kept:
            last = kept[-1]
            place = float((intercepts[j] - intercepts[last]) / (slopes[last] - slopes[j]))
            if places and place <= places[-1]:  # the last one is lowest nowhere
                kept.pop()
                places.pop()
                continue
            places.append(place)
            break
        kept.append(int(j))
    return np.array(places), -np.diff(slopes[kept])


def gain_of_lines(
    intercepts: Float[np.ndarray, " m"],
    slopes: Float[np.ndarray, " m"],
    mean: Float[np.ndarray, "*batch"],
    scale: Float[np.ndarray, "*batch"],
) -> Float[np.ndarray, "*batch"]:
    """The value of knowing x, for each normal belief about it."""
    places, falls = lower_envelope(intercepts, slopes)
    far = np.abs(places - mean[..., None]) / scale[..., None]
    return np.asarray(scale * np.sum(falls * np.exp(np.asarray(log_expected_excess(-far))), axis=-1))
