"""Each set of rows gives its own fit, of rows of any kind, and the estimator itself stays as it was."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression

from credo.validate.conformal.refits import refitted

rng = np.random.default_rng(0)
X = rng.normal(size=(12, 2))
Y = X @ [1.0, 2.0] + rng.normal(size=12)
SETS = [np.arange(8), np.arange(4, 12)]


class Bare:
    """What has fit and predict, and nothing else."""

    def fit(self, X, y):
        self.mean = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean)


@pytest.mark.parametrize(
    "made",
    [
        np.asarray,
        np.ndarray.tolist,
        sparse.csr_array,
        lambda a: pd.DataFrame(a, columns=["a", "b"]),
        lambda a: pl.DataFrame(a, schema=["a", "b"]),
        lambda a: pa.table({"a": a[:, 0], "b": a[:, 1]}),
    ],
    ids=["array", "list", "sparse", "pandas", "polars", "pyarrow"],
)
def test_fits_are_those_of_the_rows(made):
    estimator = LinearRegression()
    models = refitted(estimator, made(X), Y, SETS)
    for model, rows in zip(models, SETS, strict=True):
        np.testing.assert_allclose(model.coef_, LinearRegression().fit(X[rows], Y[rows]).coef_, rtol=1e-9)
    assert not hasattr(estimator, "coef_")


def test_bare_objects_are_copied():
    estimator = Bare()
    one, two = refitted(estimator, X, Y, SETS)
    assert one.mean == np.mean(Y[:8]) != two.mean
    assert not hasattr(estimator, "mean")


def test_no_rows_keep_what_is_fitted_already():
    fitted = LinearRegression().fit(X, Y)
    (same,) = refitted(fitted, X, Y, [np.array([], dtype=int)])
    expected = fitted.coef_.copy()
    fitted.fit(X, -Y)
    np.testing.assert_array_equal(same.coef_, expected)
