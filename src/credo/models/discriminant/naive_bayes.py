"""Naive Bayes."""

from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from credo.errors import InputError
from credo.infer.naive_bayes import (
    BinaryColumns,
    CountColumns,
    NormalColumns,
    binary_columns,
    count_columns,
    normal_columns,
)
from credo.models.discriminant.generative import GenerativeClassifier
from credo.numerics.certificate import Certificate

__all__ = ["NaiveBayes"]


class NaiveBayes(GenerativeClassifier):
    r"""Columns that are independent given the class: $P(k \mid x) \propto \pi_k\prod_j p(x_j \mid k)$.

    "gaussian": $x_j \mid k \sim \mathcal N(\mu_{kj}, v_{kj} + \epsilon_j)$ with ε `var_smoothing` times the variance of
    the column, so that units do not matter. "bernoulli": columns of 0 and 1 with $P(x_j = 1 \mid k) = (n_{kj} +
    a)/(n_k + 2a)$, the predictive probability under a Beta(a, a) prior. "multinomial": counts whose shares are
    $(N_{kj} + a)/(N_k + da)$, the mean under a Dirichlet(a) prior; a is `smoothing` (Hastie, Tibshirani & Friedman
    2009, eq. 6.26; Bishop 2006, eqs. 2.20 and 2.41).

    Where columns of a class depend on each other, as they nearly always do, evidence is counted twice: the class is
    often right when the probabilities are too near zero and one. They are those of the estimated classes and cover
    noise only. Calibrate them before a decision depends on them. A fit costs O(n d), a prediction O(K d) a row; sparse
    rows of zeros and ones or of counts cost what they hold.

    Parameters
    ----------
    kind : "gaussian", "bernoulli" or "multinomial"
    smoothing : float
        What is counted of each value before any row; of counts and of zeros and ones.
    var_smoothing : float
        What is added to each variance, relative to that of its column over all classes; of normal columns.
    binarize : float or None
        Of zeros and ones: values above are 1, others 0. None takes 0 and 1 only.
    priors : array or None
        The probability of each class, in the order of ``classes_``; by frequency if None.

    Attributes
    ----------
    classes\_, priors\_ : arrays
    columns\_ : NormalColumns, BinaryColumns or CountColumns
        Means and variances, or log probabilities, K × d.
    certificate\_ : Certificate

    Examples
    --------
    >>> words = [[3, 0, 1], [2, 0, 2], [0, 4, 1], [1, 3, 0]]
    >>> model = NaiveBayes(kind="multinomial").fit(words, ["sport", "sport", "trade", "trade"])
    >>> model.predict_proba([[1, 0, 0]]).round(3).tolist()
    [[0.766, 0.234]]
    """

    _parameter_constraints = {  # noqa: RUF012
        "kind": [StrOptions({"gaussian", "bernoulli", "multinomial"})],
        "smoothing": [Interval(Real, 0, None, closed="neither")],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "binarize": [Interval(Real, None, None, closed="neither"), None],
        "priors": ["array-like", None],
    }

    columns_: NormalColumns | BinaryColumns | CountColumns

    def __init__(
        self,
        *,
        kind: Literal["gaussian", "bernoulli", "multinomial"] = "gaussian",
        smoothing: float = 1.0,
        var_smoothing: float = 1e-9,
        binarize: float | None = None,
        priors: Any = None,
    ) -> None:
        self.kind = kind
        self.smoothing = smoothing
        self.var_smoothing = var_smoothing
        self.binarize = binarize
        self.priors = priors

    @property
    def _takes_sparse(self) -> bool:  # type: ignore[override]
        return self.kind != "gaussian"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.kind == "multinomial"
        tags.classifier_tags.poor_score = self.kind == "multinomial"  # on blobs, which are no counts
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray) -> None:
        X, classes, smoothing = self._of_kind(X), len(self.classes_), float(self.smoothing)
        self.priors_ = self._class_priors(y, w)
        notes: tuple[str, ...] = ()
        if self.kind == "gaussian":
            self.columns_ = normal_columns(X, y, w, classes, float(self.var_smoothing), type(self).__name__)
            notes = _notes(self.columns_)
        elif self.kind == "bernoulli":
            self.columns_ = binary_columns(X, y, w, classes, smoothing)
        else:
            self.columns_ = count_columns(X, y, w, classes, smoothing)
        self.certificate_ = Certificate("exact", notes=notes)

    def _of_kind(self, X: Any) -> Any:
        """The features as the kind has them: any, zeros and ones, or counts."""
        who, values = type(self).__name__, X.data if sparse.issparse(X) else X
        if self.kind == "multinomial" and np.any(values < 0.0):
            raise InputError(
                who,
                f"Negative values in data: the smallest is {np.min(values):g}",
                "Counts are zero or more",
                'Try kind="gaussian" for measurements',
            )
        if self.kind == "bernoulli" and self.binarize is not None:
            if self.binarize < 0.0 and sparse.issparse(X):
                what = f"binarize={self.binarize:g} makes ones of the zeros that sparse data leave out"
                raise InputError(who, what, "Nearly every entry would be there", "Try binarize=0.0 or X.toarray()")
            return (X > self.binarize).astype(np.float64)
        if self.kind == "bernoulli" and not np.all((values == 0.0) | (values == 1.0)):
            other = values[(values != 0.0) & (values != 1.0)][0]
            raise InputError(
                who,
                f"X has values other than 0 and 1, such as {other:g}",
                "The columns were not binarized",
                "Try binarize=0.0, by which values above are 1",
            )
        return X

    def _log_densities(self, X: Any) -> np.ndarray:
        return self.columns_.scores(self._of_kind(X))


def _notes(columns: NormalColumns) -> tuple[str, ...]:
    notes = []
    constant = int(np.sum(~columns.varying))
    if constant:
        notes.append(f"constant columns, {constant} of {len(columns.varying)}, are left out")
    if columns.smoothed:
        notes.append(f"variances of a column in a class, {columns.smoothed} of them, are var_smoothing alone")
    return tuple(notes)
