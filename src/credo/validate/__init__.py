"""Evaluation, calibration and comparison of any estimator, each claim with its error bar."""

from credo.validate import bounds, comparison, estimation
from credo.validate.agreement import Agreement, AgreementPeak, agreement_peak, posterior_agreement
from credo.validate.audit import Audit, audit, audit_places, audit_probabilities
from credo.validate.bias_variance import BiasVariance, NoisyFunction, Simulator, bias_variance
from credo.validate.calibration import Calibration, Reliability, calibration, reliability
from credo.validate.cluster_count import ClusterCount, choose_clusters
from credo.validate.compare import Comparison, Pair, compare
from credo.validate.conformal import Conformal, ConformalClassifier, ConformalRegressor
from credo.validate.criteria import Criterion, psis_loo, waic
from credo.validate.curve import LearningCurve, RowsNeeded, learning_curve
from credo.validate.effects import Effect, accumulated_effect, partial_dependence
from credo.validate.evaluate import evaluate, joined
from credo.validate.evaluation import Evaluated, Evaluation
from credo.validate.honesty import Region
from credo.validate.importance import Importance, permutation_importance
from credo.validate.plans import Bootstrap, NestedFolds, Plan
from credo.validate.residuals import Residuals, residuals
from credo.validate.risk import Claim
from credo.validate.scores import Score
from credo.validate.thresholds import Threshold, best_threshold

__all__ = [
    "Agreement",
    "AgreementPeak",
    "Audit",
    "BiasVariance",
    "Bootstrap",
    "Calibration",
    "Claim",
    "ClusterCount",
    "Comparison",
    "Conformal",
    "ConformalClassifier",
    "ConformalRegressor",
    "Criterion",
    "Effect",
    "Evaluated",
    "Evaluation",
    "Importance",
    "LearningCurve",
    "NestedFolds",
    "NoisyFunction",
    "Pair",
    "Plan",
    "Region",
    "Reliability",
    "Residuals",
    "RowsNeeded",
    "Score",
    "Simulator",
    "Threshold",
    "accumulated_effect",
    "agreement_peak",
    "audit",
    "audit_places",
    "audit_probabilities",
    "best_threshold",
    "bias_variance",
    "bounds",
    "calibration",
    "choose_clusters",
    "compare",
    "comparison",
    "estimation",
    "evaluate",
    "joined",
    "learning_curve",
    "partial_dependence",
    "permutation_importance",
    "posterior_agreement",
    "psis_loo",
    "reliability",
    "residuals",
    "waic",
]
