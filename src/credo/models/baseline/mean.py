"""The mean of the targets, whatever the row."""

import numpy as np
from sklearn.utils import Tags

from credo.beliefs import StudentT
from credo.errors import InputError
from credo.infer.linear_predictive import linear_predictive
from credo.models.base import Regressor
from credo.numerics.certificate import Certificate

__all__ = ["MeanRegressor"]


class MeanRegressor(Regressor):
    r"""The mean of all targets at every row: what is known without columns.

    Under normal noise of unknown size a new observation is Student t with $\nu = n - 1$, location $\bar y$ and squared
    scale $s^2(1 + 1/n)$ (Gelman et al. 2013, §3.2); n counts rows with their weights. The interval covers noise and
    what is unknown about the mean; if targets are not normal it is what a normal of their variance says. O(n).

    Attributes
    ----------
    mean\_, scatter\_, rows\_ : float
        $\bar y$, $\sum_i w_i(y_i - \bar y)^2$ and $\sum_i w_i$.
    certificate\_ : Certificate

    Examples
    --------
    >>> model = MeanRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0])
    >>> model.predict([[5.0]]).tolist()
    [3.0]
    """

    mean_: float
    scatter_: float
    rows_: float

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> None:
        self.rows_ = float(np.sum(w))
        if self.rows_ <= 1.0:
            raise InputError(
                type(self).__name__,
                f"n_samples = {self.rows_:g}",
                "One row says nothing about how far others are off",
                "Pass two or more",
            )
        self.mean_ = float(np.average(y, weights=w))
        self.scatter_ = float(np.sum(w * (y - self.mean_) ** 2))
        self.certificate_ = Certificate("exact", notes=("no column was used",))

    def _belief(self, X: np.ndarray) -> StudentT:
        every = np.ones(len(X))
        return linear_predictive(self.mean_ * every, every / self.rows_, self.rows_ - 1.0, self.scatter_)
