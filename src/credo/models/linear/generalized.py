"""What every generalized linear model has in common: one Newton fit, a mixture over what is unknown, a summary."""

from abc import abstractmethod
from typing import Any

import jax.numpy as jnp
import numpy as np

from credo.beliefs import Belief, Mixture, UncertaintyBudget
from credo.errors import InputError, UndefinedError
from credo.infer.glm import Family, GLMFit, GLMProblem, LinearDesign, Link, fit_glm
from credo.infer.glm.averaging import dispersion_rule, predictor_rule
from credo.infer.glm.separation import UNKNOWN, Separation
from credo.infer.glm.sparse import LASSO, fit_sparse_glm
from credo.infer.testing import Estimates, HypothesisTest, akaike, bayes_criterion, likelihood_ratio
from credo.models.base import Probabilistic
from credo.models.linear.from_formula import FromFormula
from credo.models.linear.inference import InStandardUnits, Rows

__all__ = ["GeneralizedLinear"]


class GeneralizedLinear(InStandardUnits, FromFormula, Probabilistic):
    """A mean that is a function of a linear predictor. A subclass names the family and the link."""

    _takes_sparse = True

    ridge: float
    lasso: float
    fit_intercept: bool

    dispersion_: float
    log_likelihood_: float
    deviance_: float
    null_deviance_: float
    degrees_: float
    rank_: int
    weight_: float
    separated_: Separation

    @abstractmethod
    def _family(self) -> Family:
        """How a target varies about its mean."""

    @abstractmethod
    def _link(self) -> Link:
        """What the linear predictor is of the mean."""

    def _fitted(self, X: Any, y: np.ndarray, w: np.ndarray, offset: np.ndarray, size: np.ndarray) -> None:
        family = self._family()
        wrong = ~family.holds(y)
        if np.any(wrong):
            raise InputError(
                type(self).__name__,
                f"y has {int(np.sum(wrong))} entries such as {y[wrong][0]:g}",
                f"A target of this family is {family.support}",
                "Choose another family, or look at those rows",
            )
        design = LinearDesign(X, self.fit_intercept, offset)
        problem = GLMProblem(design, y, w * size, family, self._link(), float(self.ridge))
        who, lasso = type(self).__name__, float(self.lasso)
        solution = fit_sparse_glm(problem, lasso, w, who=who) if lasso > 0.0 else fit_glm(problem, w, who=who)
        self.certificate_ = solution.certificate
        self._keep(solution.value, w)
        self._rows = Rows(design, solution.value.score[:, None], solution.value.curvature, w * size)

    def _keep(self, found: GLMFit, w: np.ndarray) -> None:
        self.center_, self.scale_ = found.units.center, found.units.scale
        self.standard_coefficients_, self.standard_inverse_information_ = (
            found.standard_coefficients,
            found.standard_inverse,
        )
        self.dispersion_, self.log_likelihood_ = found.dispersion, found.log_likelihood
        self.deviance_, self.null_deviance_ = found.deviance, found.null_deviance
        self.degrees_, self.rank_, self.separated_ = found.degrees, found.rank, found.separated
        self.weight_ = float(np.sum(w))

    @property
    def _plug_in(self) -> str:
        """Why the coefficients are taken as they are, or nothing where what is unknown about them is known."""
        if self.separated_ != "none":
            return UNKNOWN
        return "" if self.standard_inverse_information_.size else LASSO

    @property
    def coef_(self) -> np.ndarray:
        """The coefficients of the columns."""
        return self.coefficients_[int(self.fit_intercept) :]

    @property
    def intercept_(self) -> float:
        """The predictor where all columns are zero."""
        return float(self.coefficients_[0]) if self.fit_intercept else 0.0

    def _predictor(self, X: Any, offset: Any = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """η̂ and its standard error at each row; none where a lasso leaves that unknown."""
        known = np.broadcast_to(np.asarray(offset, dtype=np.float64), X.shape[:1])
        design = LinearDesign(self._units().of(X), self.fit_intercept, known)
        eta = design.predictor(self.standard_coefficients_)
        if not self.standard_inverse_information_.size:
            return eta, np.zeros_like(eta)
        variance = self.dispersion_ * design.forms(self.standard_inverse_information_)
        return eta, np.sqrt(np.maximum(variance, 0.0))

    def _averaged_mean(self, eta: np.ndarray, error: np.ndarray) -> np.ndarray:
        """The mean of a target, averaged over the normal of its predictor, or at its middle where that is unknown."""
        if self._plug_in or not np.isfinite(self.dispersion_):
            return self._link().mean(eta)
        rule = predictor_rule(error)
        return self._link().mean(eta[:, None] + error[:, None] * np.asarray(rule.nodes)) @ np.asarray(rule.weights)

    def _mixed(self, X: Any, offset: Any = 0.0, size: Any = 1.0) -> Belief:
        """The belief about a target, averaged over the normal of its predictor and over an estimated dispersion."""
        if not np.isfinite(self.dispersion_):
            raise UndefinedError(
                type(self).__name__,
                f"the dispersion is unknown: {self.weight_:g} rows less rank {self.rank_} leave nothing to estimate it",
                "There are as many coefficients as rows",
                "Pass more rows or fewer columns, or a larger lasso",
            )
        eta, error = self._predictor(X, offset)
        family, link = self._family(), self._link()
        sizes = np.broadcast_to(np.asarray(size, dtype=np.float64), eta.shape)
        if self._plug_in:
            plain = family.belief(link.mean(eta), self.dispersion_, sizes)
            return plain.with_budget(UncertaintyBudget.unsplit(self._plug_in))
        rule, spread = predictor_rule(error), dispersion_rule(np.inf if family.known_dispersion else self.degrees_)
        nodes, factors = (np.ravel(part) for part in np.meshgrid(rule.nodes, spread.nodes, indexing="ij"))
        means = link.mean(eta[:, None] + error[:, None] * nodes)
        components = family.belief(means, self.dispersion_ * factors, np.broadcast_to(sizes[:, None], means.shape))
        mixture = Mixture(jnp.broadcast_to(np.outer(rule.weights, spread.weights).ravel(), means.shape), components)
        return mixture.with_budget(UncertaintyBudget(noise=mixture.within, parameter=mixture.between))

    def _classical(self) -> dict[str, Estimates]:
        self._require_unpenalized()
        self._require_maximum()
        names = self._names(len(self.coef_))
        degrees = np.inf if self._family().known_dispersion else self.degrees_
        return {"y0": Estimates(names, self.coefficients_, self.dispersion_ * self.inverse_information_, degrees)}

    def _require_unpenalized(self) -> None:
        if self.lasso > 0.0:
            raise UndefinedError(
                type(self).__name__,
                f"lasso={self.lasso:g} has pulled the coefficients towards zero, and chosen which are there",
                "The classical standard errors are about an estimate without that bias and that choice",
                "Fit with lasso=0.0, on rows that did not choose the columns",
            )
        if self.ridge > 0.0:
            raise UndefinedError(
                type(self).__name__,
                f"ridge={self.ridge:g} has pulled the coefficients towards zero",
                "The classical standard errors are about an estimate without that bias",
                "Fit with ridge=0.0, or read predict_dist, which takes the penalty for a prior",
            )

    def _require_maximum(self) -> None:
        who = type(self).__name__
        if self.separated_ == "undecided":
            raise UndefinedError(
                who,
                "whether the likelihood has a maximum was not decided",
                "A linear program that looks for separation failed or is too large; a small ridge holds slopes back",
                "Drop columns that are nearly combinations of others, or fit with ridge=1.0 and read predict_dist",
            )
        if self.separated_ != "none":
            raise UndefinedError(
                who,
                f"{self.separated_} separation: the likelihood has no maximum",
                "A combination of columns tells the classes apart without an error, so its coefficient is infinite",
                "Drop that column, pass more rows, or fit with ridge=1.0 and read predict_dist",
            )
        if self.rank_ < len(self.coefficients_):
            raise UndefinedError(
                who,
                f"{len(self.coefficients_)} coefficients, but the design has rank {self.rank_}",
                "Columns are combinations of others: many coefficients fit alike, and none has a standard error",
                "Drop columns",
            )
        if not self.certificate_.converged or not np.isfinite(self.dispersion_) or self.degrees_ <= 0.0:
            raise UndefinedError(
                who,
                f"{self.degrees_:g} degrees of freedom are left, and the search has {self.certificate_.status}",
                "There are as many columns as rows, or the model does not fit the data",
                "Pass more rows or fewer columns",
            )

    def _bread(self) -> np.ndarray:
        return self.standard_inverse_information_

    def _score_design(self) -> LinearDesign:
        design = self._rows.design
        return LinearDesign(self._units().of(design.X), design.intercept, design.offset)

    def _of_columns(self, covariance: np.ndarray) -> np.ndarray:
        return self._units().covariance(covariance)

    def _facts(self) -> dict[str, float]:
        likelihood, parameters = self.log_likelihood_, self.rank_
        return {
            "rows": self.weight_,
            "degrees of freedom": self.degrees_,
            "dispersion": self.dispersion_,
            "deviance": self.deviance_,
            "null deviance": self.null_deviance_,
            "log likelihood": likelihood,
            "AIC": akaike(likelihood, parameters),
            "BIC": bayes_criterion(likelihood, parameters, self.weight_),
        }

    def likelihood_ratio_test(self, smaller: "GeneralizedLinear") -> HypothesisTest:
        """Whether the columns that a `smaller` model fitted to the same rows leaves out can be left out.

        Where the dispersion is estimated, the drop in deviance is divided by that of this model.
        """
        for model in (self, smaller):
            model._require_unpenalized()
        self._require_maximum()
        degrees = self.rank_ - smaller.rank_
        if self._family().known_dispersion:
            return likelihood_ratio(self.log_likelihood_, smaller.log_likelihood_, degrees)
        scale = -0.5 / self.dispersion_
        return likelihood_ratio(scale * self.deviance_, scale * smaller.deviance_, degrees)
