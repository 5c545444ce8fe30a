"""What a generalized linear model is fitted to."""

from typing import NamedTuple

import numpy as np

from credo.infer.glm.design import LinearDesign
from credo.infer.glm.families import Family
from credo.infer.glm.links import Link
from credo.infer.glm.units import ColumnUnits, standardized

__all__ = ["GLMProblem"]


class GLMProblem(NamedTuple):
    """A design, targets, weights (frequencies times sizes), family and link, and the ridge, one or one a slope."""

    design: LinearDesign
    y: np.ndarray
    weights: np.ndarray
    family: Family
    link: Link
    ridge: float | np.ndarray = 0.0

    @property
    def penalties(self) -> np.ndarray:
        """One a coefficient."""
        return self.design.penalties(self.ridge)

    def standardized(self, who: str) -> tuple["GLMProblem", ColumnUnits]:
        """The same problem on columns in standard units, and these units; the ridge stays one on the columns' own."""
        design, units = standardized(self.design, self.weights, who=who)
        return self._replace(design=design, ridge=units.ridge(self.ridge)), units

    def of(self, chosen: np.ndarray | slice) -> "GLMProblem":
        """The same on some of the rows."""
        return self._replace(design=self.design.rows(chosen), y=self.y[chosen], weights=self.weights[chosen])
