"""Logistic regression of two classes."""

from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval

from credo.beliefs import Belief
from credo.errors import InputError, UndefinedError
from credo.infer.glm import FAMILIES, LINKS, Family, Link
from credo.infer.glm.averaging import two_class_belief
from credo.infer.glm.many_columns import Corrected, correct_many_columns
from credo.infer.glm.replicates import LogisticReplicates, logistic_replicates, sparse_logistic_replicates
from credo.infer.testing import Estimates
from credo.models.base import Classifier, Replicated
from credo.models.linear.generalized import GeneralizedLinear
from credo.models.linear.summary import Summary
from credo.numerics.certificate import Solution
from credo.represent.validation import checked_features

__all__ = ["LogisticRegression"]

_CROWDED = 0.1  # columns a row, from which on the maximum of the likelihood is too far out


class LogisticRegression(GeneralizedLinear, Classifier, Replicated):
    r"""Two classes with log odds that are linear: $P(y = 1 \mid x) = 1/(1 + e^{-\alpha - x^\top\beta})$.

    Maximum likelihood by Newton's method, with standard errors, tests and intervals. Probabilities are averaged over
    the normal approximation of the log odds, so they are less extreme where little is known; the budget splits the
    variance of the class into what more rows remove and what they do not. Separated classes have no maximum of the
    likelihood: the fit warns, says so in its certificate, and `summary` refuses. With more than a column for each ten
    rows the estimates are too far from zero (Sur & Candès 2019): `summary` says so, and
    ``summary(correction="many columns")`` takes it off. A fit costs O(n d²) an iteration.

    With a `lasso` many slopes are zero and there may be more columns than rows, at O(n d) an iteration and O(n a²) for
    the a slopes that are not zero. Then probabilities are those of the coefficients as they are: what is unknown about
    them is not covered, the budget is not split, and `summary` refuses.

    Parameters
    ----------
    ridge : float
        $\lambda$ in $-\log L + \tfrac12\lambda\lVert\beta\rVert^2$; scikit-learn's C is one over it.
    lasso : float
        $\lambda_1$ in $\lambda_1\lVert\beta\rVert_1$, added to that. The intercept pays for neither. Both are on the
        coefficients of the columns as they come, so they depend on their units: standardize columns whose units mean
        nothing. Without a penalty the predictions depend neither on units nor, with an intercept, on origins.
    fit_intercept : bool

    Attributes
    ----------
    classes\_ : array
        The second one is y = 1.
    coef\_, intercept\_
        Log odds ratios a unit of each column.
    log_likelihood\_, deviance\_, null_deviance\_, degrees\_, rank\_ : float
    separated\_ : "none", "partial", "complete" or "undecided"
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(10.0)[:, None]
    >>> passed = np.array(["no", "no", "no", "yes", "no", "yes", "no", "yes", "yes", "yes"])
    >>> LogisticRegression().fit(X, passed).predict([[2.0], [8.0]]).tolist()
    ['no', 'yes']
    """

    _parameter_constraints = {  # noqa: RUF012
        "ridge": [Interval(Real, 0, None, closed="left")],
        "lasso": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
    }

    def __init__(self, *, ridge: float = 0.0, lasso: float = 0.0, fit_intercept: bool = True) -> None:
        self.ridge = ridge
        self.lasso = lasso
        self.fit_intercept = fit_intercept

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _family(self) -> Family:
        return FAMILIES["bernoulli"]

    def _link(self) -> Link:
        return LINKS["logit"]

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray) -> None:
        self._require_two_classes()
        self._fitted(X, y.astype(np.float64), w, np.zeros(len(y)), np.ones(len(y)))

    def _learn_many(self, X: np.ndarray, y: np.ndarray, W: np.ndarray) -> LogisticReplicates:
        self._require_two_classes()
        intercept, who = bool(self.fit_intercept), type(self).__name__
        targets, ridge, lasso = y.astype(np.float64), float(self.ridge), float(self.lasso)
        if lasso > 0.0:
            return sparse_logistic_replicates(X, targets, W, lasso, ridge, intercept=intercept, who=who)
        return logistic_replicates(X, targets, W, ridge, intercept=intercept, who=who)

    def _require_two_classes(self) -> None:
        if len(self.classes_) > 2:
            raise InputError(
                type(self).__name__,
                f"Only binary classification is supported. y has {len(self.classes_)} classes",
                "Log odds are of two",
                "Try SoftmaxRegression",
            )

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, n × 2, averaged over what is unknown about the coefficients."""
        p = self._averaged_mean(*self._predictor(checked_features(self, X)))
        return np.column_stack([1.0 - p, p])

    def decision_function(self, X: Any) -> np.ndarray:
        """The log odds of the second class at each row of X, of the averaged probabilities."""
        eta, error = self._predictor(checked_features(self, X))
        if self._plug_in:
            return eta
        with np.errstate(divide="ignore"):  # averaging the opposite keeps the digits of one minus a probability
            return np.log(self._averaged_mean(eta, error)) - np.log(self._averaged_mean(-eta, error))

    def _belief(self, X: Any) -> Belief:
        mixture = self._mixed(X)
        return two_class_belief(mixture.mean, mixture.budget)

    def _warnings(self) -> tuple[str, ...]:
        crowd = self.rank_ / self.weight_
        if crowd < _CROWDED or self.ridge > 0.0:
            return ()
        return (
            f"{self.rank_} coefficients for {self.weight_:g} rows: with more than one for each ten the estimates are "
            "too far from zero and their standard errors too small (Sur & Candès 2019); summary(correction='many "
            "columns') corrects both",
        )

    def summary(
        self, *, covariance: str = "classical", groups: Any = None, level: float = 0.95, correction: str | None = None
    ) -> Summary:
        r"""Estimate, standard error, statistic, p-value and interval of each coefficient.

        Parameters
        ----------
        covariance : "classical", "HC0", "HC1", "HC2", "HC3" or "cluster"
            As for every linear model.
        groups : array of n labels, or None
            The clusters, in the order of fit's rows; given, `covariance` is "cluster".
        level : float
            Of the intervals.
        correction : "many columns" or None
            Slopes divided by how far out the maximum of the likelihood is, with standard errors of their real scatter,
            where columns are not few against rows (Sur & Candès 2019; Zhao, Sur & Candès 2022; the strength of the
            signal by Yadlowsky et al. 2021). It assumes columns that are jointly normal, or light-tailed and many. The
            intercept is among the facts: its standard error is not known.
        """
        if correction is None:
            return super().summary(covariance=covariance, groups=groups, level=level)
        found = self._corrected(covariance, groups, correction)
        value, inflation = found.value, found.value.inflation
        names = self._names(len(self.coef_))[int(self.fit_intercept) :]
        facts = {
            "rows": self.weight_,
            "columns a row": len(names) / self.weight_,
            "estimates were too large by": inflation.bias,
            "standard deviation of the log odds": inflation.signal,
        } | ({"intercept": value.intercept} if self.fit_intercept else {})
        title = f"{type(self).__name__}: corrected for many columns"
        return Summary(
            title, {"y0": Estimates(names, value.slopes, value.covariance)}, level, facts, found.certificate.notes
        )

    def _corrected(self, covariance: str, groups: Any, correction: str) -> Solution[Corrected]:
        who = type(self).__name__
        if correction != "many columns" or covariance != "classical" or groups is not None:
            raise InputError(
                who,
                f"correction={correction!r} with covariance={covariance!r}",
                "The one that is known is 'many columns', and it has its own standard errors",
                "Try summary(correction='many columns')",
            )
        self._classical()  # refuses where the likelihood has no maximum
        if not hasattr(self, "_rows"):
            raise UndefinedError(who, "the correction needs the rows", "A file does not hold them", "Fit again")
        rows = self._rows
        found = correct_many_columns(
            self._score_design(),
            self.standard_coefficients_,
            self.standard_inverse_information_,
            rows.residuals[:, 0],
            rows.curvature,
            rows.weights,
            who=who,
        )
        scale, value = self.scale_, found.value
        slopes = value.slopes / scale
        spread = value.covariance / scale / scale[:, None]
        back = Corrected(slopes, spread, value.intercept - float(self.center_ @ slopes), value.inflation)
        return replace(found, value=back)
