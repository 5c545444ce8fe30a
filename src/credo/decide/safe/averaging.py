r"""What few measurements leave open about an outcome: its scales, and where it changes its behavior.

One value tells nothing about how fast a function varies, nor by how much. So the default process of an outcome is
averaged over its length-scales, its amplitude and its noise, given all measurements. Its unit is the distance to the
bound (the spread of the measurements, if that is larger): a bound is stated where it may be broken, so the amplitude is
believed to be of the size of this distance or more, however flat the first measurements are. The level is open, too.

No stationary process expects a cliff behind a plateau. So a function is believed to change, once in a while, from what
its surroundings tell: at an unknown rate $\lambda$ for each unit of length, a Gamma variable of shape $a$ and rate $b$.
After a length L without one, the next is within a distance r with probability $1 - ((b + L)/(b + L + r))^a$. The
distance is that to the nearest measurement, L the length of the shortest tree that joins all measurements, of which an
edge counts up to $b$. So the first step from a single point is short, and steps grow with what was explored.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from credo.decide.study.columns import codes_and_numbers, in_units
from credo.decide.study.surrogate import MOST_AVERAGED
from credo.infer.gaussian.quick_average import QuickAverage, average_quickly, modes_from
from credo.infer.gaussian.quick_mode import Evidence
from credo.infer.gaussian.quick_prior import LogPrior
from credo.numerics.threads import OneBlasThread
from credo.represent.space import Space

__all__ = ["LENGTHSCALE", "NOISE", "Averaged", "average_parameters", "change_probability"]

#: Middle and spread of the logarithm of a length-scale, in standard deviations of evenly spread points: a quarter of
#: the range and a factor of two either way. Shorter than what optimization starts from: long ones make wrong promises.
LENGTHSCALE = (float(np.log(np.sqrt(12.0) / 4.0)), 0.7)
#: The same of the variance of noise, in squares of the unit: few measurements say little about it.
NOISE = (-6.0, 2.0)

_CHOICE, _AMPLITUDE = (0.0, 1.5), (0.5, 0.8)  # of the length-scale of a choice, and of the variance of the function
_LEAST_NOISE = 1e-6
_LEVEL = 100.0  # variance of the constant: wide against the distance to the bound
_SHAPE, _REACH = 0.25, 0.1  # of the rate of changes: a, and b in shares of a range
_SAME_PLACE = 9  # decimals of a coordinate
_MOST_MEMBERS, _FEWEST_MEMBERS, _ROWS_OF_MEMBERS = 64, 8, 1024  # members, and rows of all of them together


class Averaged(NamedTuple):
    """A process averaged over its parameters after measurements at encoded `rows`.

    `process` is missing after many measurements, where the most likely parameters will do.
    """

    space: Space
    rows: Float[np.ndarray, "n d"]
    process: QuickAverage | None

    def moments(self, rows: Float[np.ndarray, "m d"]) -> tuple[Float[np.ndarray, "m s"], Float[np.ndarray, "m s"]]:
        """Mean and variance of the function at encoded rows, for each draw of the parameters."""
        assert self.process is not None
        with OneBlasThread():
            average = self.process.at(in_units(self.space, rows))
        return average.means, average.variances

    def change(self, rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
        """The probability that the function changes between each row and the nearest measurement."""
        return change_probability(_coordinates(self.space, self.rows), _coordinates(self.space, rows))


def average_parameters(space: Space, rows: Float[np.ndarray, "n d"], standard: Float[np.ndarray, " n"]) -> Averaged:
    """The process of an outcome after measurements, in units of the distance to its bound. O(n³), some 300 times."""
    if len(standard) > MOST_AVERAGED:
        return Averaged(space, rows, None)
    codes, numbers = codes_and_numbers(space)
    believed = np.array([*[LENGTHSCALE] * len(numbers), *[_CHOICE] * len(codes), _AMPLITUDE, NOISE])
    evidence = Evidence(
        in_units(space, rows),
        standard,
        np.isin(np.arange(len(space)), codes),
        prior=LogPrior.normal(believed[:, 0], believed[:, 1]),
        least=_LEAST_NOISE,
        level=_LEVEL,
    )
    most = int(np.clip(_ROWS_OF_MEMBERS // len(standard), _FEWEST_MEMBERS, _MOST_MEMBERS))
    with OneBlasThread():
        return Averaged(space, rows, average_quickly(evidence, modes_from(evidence, [believed[:, 0]]), most=most))


def change_probability(measured: Float[np.ndarray, "n d"], rows: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"]:
    """That a function which was measured without a change has one on the way to each row, in shares of a range.

    >>> change_probability(np.zeros((1, 1)), np.array([[0.0], [0.02], [0.1]])).round(3).tolist()
    [0.0, 0.045, 0.159]
    """
    places = np.unique(measured.round(_SAME_PLACE), axis=0)  # a tree takes a distance of zero for none
    edges = minimum_spanning_tree(cdist(places, places)).data
    explored = _REACH + float(np.sum(np.minimum(edges, _REACH)))
    away = np.min(cdist(rows, measured), axis=1)
    return -np.expm1(-_SHAPE * np.log1p(away / explored))


def _coordinates(space: Space, rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n p"]:
    """Encoded rows where distances are in shares of a range: two codes that differ are one range apart."""
    codes, numbers = codes_and_numbers(space)
    columns = [rows[:, numbers]]
    for j in codes:
        levels = np.arange(space.column_kinds[j].levels or 1)
        columns.append((rows[:, j, None] == levels) * np.sqrt(0.5))
    return np.concatenate(columns, axis=1)
