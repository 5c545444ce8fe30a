"""Altair charts of credo's objects: `credo.plot(object)` finds the right one by type. No statistics here."""

from credo.plots.band import band_chart
from credo.plots.budget import budget_chart
from credo.plots.calibration import audit_chart, calibration_chart, reliability_chart
from credo.plots.classifier import classifier_chart
from credo.plots.coefficients import coefficients_chart
from credo.plots.density import density_chart
from credo.plots.describe import ChartTable, chart_tables, chart_words
from credo.plots.effect import curve_chart, effect_chart
from credo.plots.evidence import evidence_chart
from credo.plots.export import save_chart
from credo.plots.honesty import honesty_chart
from credo.plots.intervals import comparison_chart, evaluation_chart, importance_chart
from credo.plots.learned import learned_chart
from credo.plots.path import path_chart
from credo.plots.plot import plot
from credo.plots.regressor import regressor_chart
from credo.plots.residuals import residuals_chart
from credo.plots.study import study_chart
from credo.plots.study_contour import contour_chart
from credo.plots.study_history import history_chart
from credo.plots.study_parallel import parallel_chart
from credo.plots.study_pareto import pareto_chart
from credo.plots.study_slice import next_chart, slice_chart
from credo.plots.study_timeline import timeline_chart
from credo.plots.theme import Palette, palette, register_themes, themed

__all__ = [
    "ChartTable",
    "Palette",
    "audit_chart",
    "band_chart",
    "budget_chart",
    "calibration_chart",
    "chart_tables",
    "chart_words",
    "classifier_chart",
    "coefficients_chart",
    "comparison_chart",
    "contour_chart",
    "curve_chart",
    "density_chart",
    "effect_chart",
    "evaluation_chart",
    "evidence_chart",
    "history_chart",
    "honesty_chart",
    "importance_chart",
    "learned_chart",
    "next_chart",
    "palette",
    "parallel_chart",
    "pareto_chart",
    "path_chart",
    "plot",
    "register_themes",
    "regressor_chart",
    "reliability_chart",
    "residuals_chart",
    "save_chart",
    "slice_chart",
    "study_chart",
    "themed",
    "timeline_chart",
]
