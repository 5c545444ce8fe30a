"""Inference that is allowed to speak: standard errors, tests and intervals of coefficients, or why there are none."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from credo.errors import InputError, UndefinedError
from credo.infer.glm import LinearDesign
from credo.infer.glm.units import ColumnUnits
from credo.infer.sandwich import clustered_covariance, robust_covariance
from credo.infer.testing import Estimates, HypothesisTest, names_of, wald
from credo.models.linear.summary import Summary

__all__ = ["InStandardUnits", "Rows", "SpeaksOfCoefficients"]


class Rows(NamedTuple):
    """The rows a model was fitted to, as its score equations see them: Σ w · residual · design = 0."""

    design: LinearDesign
    residuals: np.ndarray  # n × outputs
    curvature: np.ndarray  # of each row's loss in its predictor
    weights: np.ndarray


class SpeaksOfCoefficients(ABC):
    """A model whose coefficients have a sampling distribution. It refuses, with the reason, where that is not known."""

    #: Left behind by a file: robust covariances need the rows, everything else does not.
    _not_saved = ("_rows",)

    fit_intercept: bool
    _rows: Rows

    @abstractmethod
    def _classical(self) -> dict[str, Estimates]:
        """The estimates of each output under the model's own variance, or an `UndefinedError`."""

    @abstractmethod
    def _bread(self) -> np.ndarray:
        """The inverse of the derivative of the score equations."""

    def _score_design(self) -> LinearDesign:
        """The design of the score equations, in the units of the bread."""
        return self._rows.design

    def _of_columns(self, covariance: np.ndarray) -> np.ndarray:
        """A covariance in the units of the bread, as one of the coefficients of the columns."""
        return covariance

    @abstractmethod
    def _facts(self) -> dict[str, float]:
        """About the whole fit."""

    def _names(self, columns: int) -> tuple[str, ...]:
        """Of the coefficients: the columns of fit, behind the intercept."""
        named = getattr(self, "feature_names_in_", None)
        return names_of(None if named is None else named.tolist(), columns, intercept=self.fit_intercept)

    def _warnings(self) -> tuple[str, ...]:
        """What to know before the numbers are used."""
        return ()

    def summary(self, *, covariance: str = "classical", groups: Any = None, level: float = 0.95) -> Summary:
        """Estimate, standard error, statistic, p-value and interval of each coefficient.

        Parameters
        ----------
        covariance : "classical", "HC0", "HC1", "HC2", "HC3" or "cluster"
            Whether to trust the model's variance, or residuals instead (heteroscedasticity-robust), or sums of
            residuals over clusters of rows.
        groups : array of n labels, or None
            The clusters, in the order of fit's rows; given, `covariance` is "cluster".
        level : float
            Of the intervals.
        """
        tables = self.estimates(covariance=covariance, groups=groups)
        kind = "cluster" if groups is not None else covariance
        words = {"classical": "standard errors of the model", "cluster": "clustered standard errors"}
        title = f"{type(self).__name__}: {words.get(kind, f'robust standard errors ({kind})')}"
        return Summary(title, tables, level, self._facts(), self._warnings())

    def estimates(self, *, covariance: str = "classical", groups: Any = None) -> dict[str, Estimates]:
        """What `summary` prints, as numbers, by output."""
        tables = self._classical()
        kind = "cluster" if groups is not None else covariance
        if kind == "classical":
            return tables
        return {output: self._robust(table, i, kind, groups) for i, (output, table) in enumerate(tables.items())}

    def wald_test(
        self, hypothesis: Any, value: Any = 0.0, *, covariance: str = "classical", groups: Any = None
    ) -> HypothesisTest:
        """Whether each row of `hypothesis`, a combination of the coefficients (intercept first), equals `value`."""
        tables = self.estimates(covariance=covariance, groups=groups)
        if len(tables) > 1:
            raise UndefinedError(
                type(self).__name__,
                f"there are {len(tables)} outputs, and the hypothesis is about one",
                "Each has its own coefficients",
                "Take one of `estimates()` to `credo.infer.wald`",
            )
        return wald(next(iter(tables.values())), hypothesis, value)

    def _robust(self, table: Estimates, output: int, kind: str, groups: Any) -> Estimates:
        who, bread = type(self).__name__, self._bread()
        if not hasattr(self, "_rows"):
            raise UndefinedError(
                who,
                f"{kind} standard errors need the rows",
                "A file does not hold them",
                "Fit again, or use the classical ones",
            )
        rows = self._rows
        design, residuals = self._score_design(), rows.residuals[:, output]
        columns = design.whole()
        if kind != "cluster":
            leverages = rows.curvature * design.forms(bread)
            covariance = robust_covariance(kind, bread, columns, residuals, leverages, rows.weights)
            return Estimates(table.names, table.values, self._of_columns(covariance), table.degrees)
        if groups is None or np.size(groups) != len(rows.weights):
            raise InputError(
                who,
                f"groups are {'None' if groups is None else f'{np.size(groups)} labels'} for {len(rows.weights)} rows",
                "Clustered standard errors need a label for each row of fit, those of weight zero left out",
                "Pass groups=",
            )
        labels = np.asarray(groups).reshape(-1)
        covariance, count = clustered_covariance(labels, bread, columns, residuals, rows.weights)
        degrees = count - 1.0 if np.isfinite(table.degrees) else np.inf
        return Estimates(table.names, table.values, self._of_columns(covariance), degrees)


class InStandardUnits(SpeaksOfCoefficients):
    """A model that keeps its coefficients in the standard units of the columns, in which predictions lose no digits."""

    center_: np.ndarray
    scale_: np.ndarray
    standard_coefficients_: np.ndarray
    standard_inverse_information_: np.ndarray

    def _units(self) -> ColumnUnits:
        """The units in which the coefficients were fitted."""
        return ColumnUnits(self.center_, self.scale_, bool(self.fit_intercept))

    @property
    def coefficients_(self) -> np.ndarray:
        """All coefficients, the intercept first; of K classes p × K."""
        return self._units().coefficients(self.standard_coefficients_)

    @property
    def inverse_information_(self) -> np.ndarray:
        """The covariance of the coefficients, without the dispersion; of K classes Kp × Kp. Empty after a lasso."""
        return self._units().covariance(self.standard_inverse_information_)
