"""`credo.plot(object)`: the right chart, found by type."""

from functools import singledispatch
from typing import Any

from sklearn.base import ClassifierMixin

from credo.beliefs import Belief, UncertaintyBudget
from credo.decide.learning import Learned
from credo.decide.study import Study
from credo.errors import InputError
from credo.infer import Estimates, EvidenceSurface
from credo.infer.proximal import JudgedPath
from credo.infer.ridge import RidgePath
from credo.models import Summary
from credo.models.base import Regressor
from credo.plots.band import band_chart
from credo.plots.budget import budget_chart
from credo.plots.calibration import audit_chart, calibration_chart, reliability_chart
from credo.plots.classifier import classifier_chart
from credo.plots.coefficients import coefficients_chart
from credo.plots.density import density_chart
from credo.plots.effect import curve_chart, effect_chart
from credo.plots.evidence import evidence_chart
from credo.plots.intervals import comparison_chart, evaluation_chart, importance_chart
from credo.plots.learned import learned_chart
from credo.plots.path import path_chart
from credo.plots.regressor import regressor_chart
from credo.plots.residuals import residuals_chart
from credo.plots.study import study_chart
from credo.validate import (
    Audit,
    Calibration,
    Comparison,
    Effect,
    Evaluation,
    Importance,
    LearningCurve,
    Reliability,
    Residuals,
)

__all__ = ["plot"]


def plot(obj: Any, *args: Any, **options: Any) -> Any:
    """An Altair chart of `obj`.

    - a Belief about one number → its density; of batch shape (n,) → the band, ``plot(belief, x=x, data=(x, y))``
    - an `UncertaintyBudget` → stacked bars
    - a path along a penalty → the slopes and the choices on it, ``plot(Lasso().path(X, y), names)``
    - a `Summary` or `Estimates` → each coefficient with its interval, ``plot(model.summary())``
    - an `EvidenceSurface` → the log evidence over two parameters, ``plot(gp.evidence_surface())``
    - an `Evaluation` → the risk of each estimator with its interval; a `Comparison`, an `Importance` likewise
    - a `Calibration`, `Reliability` or `Audit` → what was stated against what happened, with bands;
      ``plot(audit, "map")`` → where the promise is kept and where not
    - a `Residuals` → how far out each held-out row lay, ``plot(residuals(evaluation))``
    - an `Effect` or a `LearningCurve` → the curve with its band
    - a fitted regressor → the band along one column, ``plot(model, X, y, column="age")``
    - a fitted classifier → its regions over two columns, ``plot(model, X, y, columns=("age", "dose"))``
    - a `Learned` → what was said of each row before it was seen, against what came out
    - a `Study` → how it went; ``plot(study, "slice", "temperature")``, "contour", "next", "parallel", "pareto",
      "timeline"

    ``theme="dark"`` is for dark pages; ``theme=None`` leaves a chart that can be combined with others. Save it with
    [](#credo.plots.save_chart).

    >>> from credo.beliefs import Normal
    >>> plot(Normal(0.0, 1.0)).to_dict()["title"]["text"]
    'Normal(loc=0, scale=1)'
    """
    return _chart(obj, *args, **options)


@singledispatch
def _chart(obj: Any, *args: Any, **options: Any) -> Any:
    known = sorted(cls.__name__ for cls in _chart.registry if cls is not object)
    raise InputError(
        "plot",
        f"a {type(obj).__name__} has no chart",
        "The object holds no belief, or is not one of credo's",
        f"What can be plotted: {', '.join(known)}",
    )


@_chart.register
def _(obj: Belief, *args: Any, **options: Any) -> Any:
    return band_chart(obj, *args, **options) if obj.batch_shape else density_chart(obj, *args, **options)


_CHARTS: dict[type, Any] = {
    Audit: audit_chart,
    Calibration: calibration_chart,
    ClassifierMixin: classifier_chart,
    Comparison: comparison_chart,
    Effect: effect_chart,
    Estimates: coefficients_chart,
    Evaluation: evaluation_chart,
    EvidenceSurface: evidence_chart,
    Importance: importance_chart,
    JudgedPath: path_chart,
    Learned: learned_chart,
    LearningCurve: curve_chart,
    Regressor: regressor_chart,
    Reliability: reliability_chart,
    Residuals: residuals_chart,
    RidgePath: path_chart,
    Study: study_chart,
    Summary: coefficients_chart,
    UncertaintyBudget: budget_chart,
}
for _type, _draw in _CHARTS.items():
    _chart.register(_type, _draw)
