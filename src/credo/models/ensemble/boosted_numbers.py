"""Boosted trees of a number, with a predictive from rows that they have not seen."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from credo.beliefs import StudentT, UncertaintyBudget
from credo.infer.boosting import (
    CrossFit,
    Tails,
    Trees,
    ambiguity,
    cross_fit,
    jackknife_variance,
    student_tails,
    trees_at,
)
from credo.models.base import Regressor
from credo.models.ensemble.boosting import Boosted

__all__ = ["GradientBoostingRegressor"]

_LEAF_OF_VARIANCE = 20.0  # rows at least in a leaf of the variance: squares of noise are noisier than noise
_EXACT = 1e-12  # of the mean square of what is left, below which a square says no less of the variance
_ROUNDING = 1e-30  # of the variance of y: an exact fit leaves no less
_AT_LEAST = 0.5  # of the variance, that stays when the ambiguity is taken off


class GradientBoostingRegressor(Regressor, Boosted):
    r"""A sum of small trees, each fitted to what those before it left over, with noise whose size varies.

    K models are boosted, each without one fold (LightGBM's trees: Ke et al. 2017), for as many rounds as are best at
    the rows that each has not seen. Their mean $\bar f$ predicts. What they left over at those rows, $r_i$, has a
    variance $s^2(x)$ that is boosted the same way, by the likelihood of a normal, $\log s^2 + r_i^2/s^2$, and is
    constant where that is best; the shape of $r_i/s(x_i)$, rows again unseen, is the most likely Student t. A new
    observation is

    $$y = \bar f(x) + \sigma(x)\,t_\nu, \qquad \sigma^2(x)\,\tfrac{\nu}{\nu - 2} = c\,s^2(x) - \tfrac{K - 1}{K}S^2(x)$$

    where $S^2$ is the variance between models: by that much the square error of their mean is below theirs (Krogh &
    Vedelsby 1995). The budget calls the jackknife variance of $\bar f$, which deletes a fold each time, the parameter's
    share, as far as it fits into the whole, and the rest noise, the bias of the trees included.

    Intervals are those of rows like the ones seen: a tree is constant outside of them, and nothing widens there.
    Nothing is assumed about the units or the shape of columns. A fit costs K times O(rounds × n × d), and half of that
    for the variance; a prediction O(K × rounds × depth).

    Parameters
    ----------
    learning_rate : float
        The share of each tree that is added.
    max_leaves : int
        Of a tree.
    min_rows : float
        In a leaf, counted with their weights.
    max_rounds : int
        At the most; a warning says where the loss still fell.
    folds : int
        K, or one a row where there are fewer.
    random_state : int, generator or None
        Of the folds.

    Attributes
    ----------
    trees\_, spread_trees\_ : tuples of Trees
        Of the mean and of the log variance, in units of `unit_`, one for each fold.
    rounds\_, spread_rounds\_ : int
    held_losses\_ : array
        The mean square error at held rows by the number of rounds, in units of `unit_` squared.
    center\_, unit\_ : float
        Mean and standard deviation of y.
    tails\_ : Tails
        $\nu$ and $\sqrt{c(\nu - 2)/\nu}$.
    certificate\_ : Certificate

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2.0, 2.0, size=(400, 2))
    >>> y = np.where(X[:, 0] > 0.0, 3.0, 0.0) + np.where(X[:, 1] > 0.0, 1.0, 0.1) * rng.normal(size=400)
    >>> model = GradientBoostingRegressor(random_state=0).fit(X, y)
    >>> low, high = model.predict_interval([[1.0, -1.0], [1.0, 1.0]])
    >>> bool(high[0] - low[0] < (high[1] - low[1]) / 2)
    True
    """

    spread_trees_: tuple[Trees, ...]
    spread_rounds_: int
    center_: float
    unit_: float
    tails_: Tails

    def _boost(
        self, X: Float[np.ndarray, "n d"], y: np.ndarray, w: Float[np.ndarray, " n"], folds: Int[np.ndarray, " n"]
    ) -> CrossFit:
        self.center_ = float(np.average(y, weights=w))
        self.unit_ = float(np.sqrt(np.average((y - self.center_) ** 2, weights=w))) or 1.0
        y = (y - self.center_) / self.unit_
        found = cross_fit("squares", X, y, w, folds, self._growth(), max_rounds=int(self.max_rounds))
        squares = (y - found.held[:, 0]) ** 2
        mean = max(float(np.average(squares, weights=w)), _ROUNDING)
        squares = np.maximum(squares, _EXACT * mean) / mean
        growth = self._growth()._replace(min_rows=max(float(self.min_rows), _LEAF_OF_VARIANCE))
        spread = cross_fit("gamma", X, squares, w, folds, growth, max_rounds=int(self.max_rounds))
        self.spread_trees_, self.spread_rounds_ = spread.trees, spread.rounds
        tails = student_tails(np.sqrt(squares * np.exp(-spread.held[:, 0])), w)
        self.tails_ = tails._replace(scale=tails.scale * float(np.sqrt(mean)))
        return found

    def _belief(self, X: np.ndarray) -> StudentT:
        members = self._members(X)[..., 0]
        log_variance = np.mean([trees_at(trees, X)[:, 0] for trees in self.spread_trees_], axis=0)
        degrees = self.tails_.degrees
        shape = degrees / (degrees - 2.0)
        of_one = self.tails_.scale**2 * np.exp(log_variance) * shape
        total = np.maximum(of_one - ambiguity(members), _AT_LEAST * of_one)
        parameter = np.minimum(jackknife_variance(members), total)
        location = self.center_ + self.unit_ * np.mean(members, axis=0)
        belief = StudentT(jnp.asarray(degrees), jnp.asarray(location), jnp.asarray(self.unit_ * np.sqrt(total / shape)))
        noise, learnable = (jnp.asarray(part * self.unit_**2) for part in (total - parameter, parameter))
        return belief.with_budget(UncertaintyBudget(noise=noise, parameter=learnable))
