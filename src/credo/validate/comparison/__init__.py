"""Which of two or more models has the smaller loss, from losses that they made on the same rows, folds or data sets."""

from credo.validate.comparison.bayesian import PracticalDifference, bayesian_correlated_t
from credo.validate.comparison.datasets import (
    RankComparison,
    compare_ranks,
    nemenyi_critical_difference,
    rank_models,
    wilcoxon,
)
from credo.validate.comparison.mcnemar import mcnemar, mcnemar_counts
from credo.validate.comparison.paired import (
    Difference,
    corrected_resampled_t,
    paired_difference,
    rows_times,
    rows_to_separate,
)

__all__ = [
    "Difference",
    "PracticalDifference",
    "RankComparison",
    "bayesian_correlated_t",
    "compare_ranks",
    "corrected_resampled_t",
    "mcnemar",
    "mcnemar_counts",
    "nemenyi_critical_difference",
    "paired_difference",
    "rank_models",
    "rows_times",
    "rows_to_separate",
    "wilcoxon",
]
