"""Permutation importance: the textbook value for a line, and an error that is its spread."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.inspection import permutation_importance as theirs
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.linear_model import LogisticRegression as PlainLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from credo.errors import InputError
from credo.validate.importance import permutation_importance


def data(rng, n=200):
    X = rng.normal(size=(n, 3))
    return X, X @ [2.0, 0.5, 0.0] + rng.normal(size=n)


def test_of_a_line_it_is_twice_the_squared_slope_and_the_error_is_its_spread():
    """The loss rises by 2β² Var(x), but for the one in forty rows of a fold that stays in its place; 100 tables."""
    rng = np.random.default_rng(0)
    found = [permutation_importance(PlainRegression(), *data(rng), random_state=seed) for seed in range(100)]
    increase = np.stack([each.increase for each in found])
    assert np.mean(increase, axis=0) == pytest.approx([8.0 * 39 / 40, 0.5 * 39 / 40, 0.0], abs=0.15)
    spread = np.std(increase, axis=0)[:2]
    assert np.mean([each.standard_error for each in found], axis=0)[:2] / spread == pytest.approx(1.0, abs=0.45)


def test_frames_keep_names_and_numbers_are_the_same():
    X, y = data(np.random.default_rng(0), 60)
    plain = permutation_importance(PlainRegression(), X, y, score="absolute")
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        named = permutation_importance(
            PlainRegression(), frame(dict(zip("abc", X.T, strict=True))), y, score="absolute"
        )
        assert named.names == ("a", "b", "c")
        np.testing.assert_allclose(named.increase, plain.increase, rtol=1e-9, atol=1e-12)
    assert str(plain).splitlines()[1].startswith("x0")
    for kind in (sparse.csr_array, sparse.coo_array, list):
        found = permutation_importance(PlainRegression(), kind(X), y, score="absolute")
        np.testing.assert_allclose(found.increase, plain.increase, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_text_has_its_importance(frame):
    """Three words with effects 0, 2 and 4: shuffled, the loss rises by twice their variance, 16/3; scikit-learn too."""
    rng = np.random.default_rng(0)
    word, x = rng.integers(3, size=400), rng.normal(size=400)
    y = 2.0 * word + rng.normal(size=400)
    X = frame({"word": np.array(["low", "mid", "top"])[word].tolist(), "x": x})
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["word"]), remainder="passthrough"), PlainRegression()
    )
    found = permutation_importance(model, X, y)
    assert found.increase[0] == pytest.approx(2.0 * 4.0 * 2.0 / 3.0, abs=0.8)
    assert abs(found.increase[1]) < 0.1
    X = pd.DataFrame({name: X[name].to_list() for name in X.columns})  # the frame that scikit-learn takes
    known = theirs(model.fit(X, y), X, y, scoring="neg_mean_squared_error", random_state=0)
    np.testing.assert_allclose(found.increase, known.importances_mean, atol=0.5)


def test_what_is_no_table_is_refused():
    with pytest.raises(InputError, match="permutation_importance: X is a list of shape"):
        permutation_importance(PlainRegression(), ["one text", "another"], [0.0, 1.0])


def test_classes_too():
    X, y = data(np.random.default_rng(0))
    found = permutation_importance(PlainLogistic(), X, y > 0, score="log")
    assert np.argmax(found.increase) == 0
    with pytest.raises(InputError, match="no mean over rows"):
        permutation_importance(PlainLogistic(), X, y > 0, score="F1")
    with pytest.raises(InputError, match="repeats=0"):
        permutation_importance(PlainLogistic(), X, y > 0, repeats=0)
