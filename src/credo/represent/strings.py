"""Text as rows of letter codes, for kernels on strings."""

from numbers import Integral
from typing import Any, Self

import numpy as np
from jaxtyping import Int
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from credo.errors import InputError
from credo.represent.validation import checked_parameters

__all__ = ["StringEncoder"]


class StringEncoder(TransformerMixin, BaseEstimator):
    """Texts as rows of letter codes, each filled up with -1, as [](#credo.kernels.Spectrum) reads them.

    The code of a letter is its Unicode code point, so that new texts get the same codes. A letter that `fit` has not
    seen has a code of its own: no training text shares a piece that contains it.

    Parameters
    ----------
    length : int or None
        Columns of a row, which is the number of letters of the longest text allowed. None, the default, takes the
        longest text of `fit`. A longer text raises `InputError`.

    Attributes
    ----------
    length\\_ : int
        Columns of a row.

    Examples
    --------
    >>> encoder = StringEncoder().fit(["ACGT", "AC"])
    >>> encoder.transform(["GA"]).tolist()
    [[71, 65, -1, -1]]
    """

    _parameter_constraints = {"length": [Interval(Integral, 1, None, closed="left"), None]}  # noqa: RUF012

    length_: int
    n_features_in_: int

    def __init__(self, *, length: int | None = None) -> None:
        self.length = length

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = tags.input_tags.string = True
        tags.input_tags.two_d_array = tags.requires_fit = False
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the number of columns from texts: a list, an array, or a frame of one column."""
        checked_parameters(self)
        longest = max(map(len, _texts(X)))
        length = max(longest, 1) if self.length is None else int(self.length)
        _require_length(longest, length)
        self.length_, self.n_features_in_ = length, 1
        return self

    def transform(self, X: Any) -> Int[np.ndarray, "n length"]:
        """The codes of texts, one row per text."""
        check_is_fitted(self)
        texts = _texts(X)
        _require_length(max(map(len, texts)), self.length_)
        codes = np.full((len(texts), self.length_), -1)
        for row, text in zip(codes, texts, strict=True):
            row[: len(text)] = [ord(letter) for letter in text]
        return codes

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """A name for each column."""
        check_is_fitted(self)
        return np.asarray([f"letter{j}" for j in range(self.length_)], dtype=object)


def _texts(X: Any) -> list[str]:
    values = np.asarray(X, dtype=object)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or not len(values):
        raise InputError(
            "StringEncoder",
            f"the texts have shape {values.shape}",
            "A single text, no text, or several columns were passed",
            "Pass a list of texts, or a frame of one column",
        )
    for i, value in enumerate(values):
        if not isinstance(value, str):
            raise InputError(
                "StringEncoder",
                f"row {i} is {value!r}, which is not text",
                "A text is missing, or the column holds numbers",
                'Drop the row, or pass str(value); "" is a text without letters',
            )
    return list(values)


def _require_length(longest: int, length: int) -> None:
    if longest > length:
        raise InputError(
            "StringEncoder",
            f"a text has {longest} letters, but rows have {length} columns",
            "`fit` has seen shorter texts only, or length= is too small",
            f"Fit with StringEncoder(length={longest}) or more; further columns of -1 change nothing",
        )
