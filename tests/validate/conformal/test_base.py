"""The contract that both wrappers keep: scikit-learn's checks, any rows, clear refusals, infinity said aloud."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import check_param_validation, parametrize_with_checks

from credo.errors import CredoWarning, InputError
from credo.validate.conformal import Conformal, ConformalClassifier, ConformalRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 2))
Y = X @ [1.0, -1.0] + rng.normal(size=80)
LABELS = np.where(Y > 0, "up", "down")
BOTH = [
    pytest.param(ConformalRegressor(estimator=LinearRegression(), random_state=0), Y, id="regressor"),
    pytest.param(ConformalClassifier(estimator=GaussianNB(), random_state=0), LABELS, id="classifier"),
]


def answers(model, rows, **asked):
    name = "predict_interval" if isinstance(model, ConformalRegressor) else "predict_set"
    return np.asarray(getattr(model, name)(rows, **asked))


@parametrize_with_checks(
    [
        ConformalRegressor(estimator=LinearRegression(), method="split", random_state=0),
        ConformalClassifier(estimator=GaussianNB(), random_state=0),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        ConformalRegressor(estimator=LinearRegression()),
        ConformalRegressor(estimator=LinearRegression(), method="jackknife+"),
        ConformalClassifier(estimator=LogisticRegression(), method="lac"),
        ConformalClassifier(estimator=LogisticRegression(), randomized=True),
    ]
)
def test_scikit_learn_contract_of_other_methods(estimator, check):
    check(estimator)


@pytest.mark.parametrize(("model", "y"), BOTH)
def test_parameters_are_validated(model, y):
    assert isinstance(model, Conformal)
    assert set(model._parameter_constraints) == set(model.get_params(deep=False))
    check_param_validation(type(model).__name__, model)
    for name in model.get_params(deep=False):
        with pytest.raises(InputError, match=f"{type(model).__name__}: .*{name}"):
            clone(model).set_params(**{name: object()}).fit(X, y)


@pytest.mark.parametrize(("model", "y"), BOTH)
def test_an_estimator_must_be_an_object(model, y):
    with pytest.raises(InputError, match=r"the class StandardScaler|has to be|must be"):
        clone(model).set_params(estimator=StandardScaler()).fit(X, y)
    with pytest.raises(InputError, match=r"estimator is the class GaussianNB.*Try estimator=GaussianNB\(\)"):
        clone(model).set_params(estimator=GaussianNB).fit(X, y)


@pytest.mark.parametrize(("model", "y"), BOTH)
@pytest.mark.parametrize(
    "made",
    [
        np.ndarray.tolist,
        lambda a: pd.DataFrame(a, columns=["a", "b"]),
        lambda a: pl.DataFrame(a, schema=["a", "b"]),
        lambda a: pa.table({"a": a[:, 0], "b": a[:, 1]}),
    ],
    ids=["list", "pandas", "polars", "pyarrow"],
)
def test_rows_of_any_kind_equal_arrays(model, y, made):
    learned = clone(model).fit(made(X), y)
    np.testing.assert_allclose(answers(learned, made(X)), answers(clone(model).fit(X, y), X), rtol=1e-10)
    assert list(getattr(learned, "feature_names_in_", ["a", "b"])) == ["a", "b"]
    assert learned.n_features_in_ == 2


def test_sparse_rows_and_text_go_to_estimators_that_take_them():
    model = ConformalRegressor(estimator=LinearRegression(), random_state=0)
    thin = clone(model).fit(sparse.csc_array(X), Y)
    np.testing.assert_allclose(answers(thin, sparse.csr_array(X)), answers(clone(model).fit(X, Y), X), rtol=1e-6)
    words = pd.DataFrame({"color": np.where(X[:, 0] > 0, "red", "blue")})
    text = clone(model).set_params(estimator=make_pipeline(OneHotEncoder(), LinearRegression())).fit(words, Y)
    low, high = text.predict_interval(words)
    assert np.mean((low <= Y) & (Y <= high)) > 0.8


@pytest.mark.parametrize(("model", "y"), BOTH)
def test_clone_pickle_and_search(model, y):
    learned = clone(model).fit(X, y, groups=np.arange(80) % 2)
    again = pickle.loads(pickle.dumps(learned))
    groups = np.arange(80) % 2
    np.testing.assert_array_equal(answers(again, X, groups=groups), answers(learned, X, groups=groups))
    np.testing.assert_array_equal(again.predict(X), learned.predict(X))
    assert again.certificate_ == learned.certificate_
    assert repr(clone(learned)) == repr(model)
    assert np.isfinite(GridSearchCV(model, {"calibration": [0.2, 0.5]}, cv=2).fit(X, y).best_score_)


@pytest.mark.parametrize(("model", "y"), BOTH)
@pytest.mark.parametrize("level", [0.0, 1.0, 90, -0.1, np.nan, np.array([0.5, 0.9])])
def test_levels_are_checked(model, y, level):
    learned = clone(model).fit(X, y)
    method = learned.predict_interval if isinstance(model, ConformalRegressor) else learned.predict_set
    with pytest.raises(Exception, match="level"):
        method(X, level)


@pytest.mark.parametrize(("model", "y"), BOTH)
def test_bad_rows_are_named_and_a_failed_fit_changes_nothing(model, y):
    learned = clone(model).fit(X, y)
    before = dict(vars(learned))
    who = f"^{type(model).__name__}: "
    for rows, targets, groups in ((X[:70], y, None), (X[:1], y[:1], None), (X, y, ["a"] * 79), (X, None, None)):
        with pytest.raises(InputError, match=who):
            learned.fit(rows, targets, groups=groups)
    with pytest.raises(ValueError, match="NaN"):
        learned.fit(np.full_like(X, np.nan), y)
    assert vars(learned) == before


@pytest.mark.parametrize(("model", "y"), BOTH)
def test_a_level_that_rows_cannot_give_is_infinite_and_said(model, y):
    learned = clone(model).fit(X[:24], y[:24])
    n = len(learned.scores_)
    with pytest.warns(CredoWarning, match=f"level=0.99 takes 99 calibration rows, but there are {n}"):
        far = answers(learned, X, level=0.99)
    assert np.all(far) if far.dtype == bool else np.all(np.isinf(far))
    small = np.where(np.arange(80) < 4, "few", "many")
    learned = clone(model).fit(X, y, groups=small)
    with pytest.warns(CredoWarning, match="9 calibration rows, but there are .* in group .*few"):
        answers(learned, X[:5], groups=small[:5])
    inside = answers(learned, X[4:], groups=small[4:])  # and none where every group asked for has enough
    assert inside.dtype == bool or np.all(np.isfinite(inside))


@pytest.mark.parametrize(("model", "y"), BOTH)
def test_groups_at_prediction_are_those_of_fit(model, y):
    learned = clone(model).fit(X, y, groups=np.arange(80) % 2)
    with pytest.raises(InputError, match="groups has 2, of which there was no row"):
        answers(learned, X, groups=np.arange(80) % 3)
    with pytest.raises(InputError, match="given to fit and not to prediction"):
        answers(learned, X)


class Broken(LinearRegression):
    """An estimator whose answers are missing."""

    classes_ = np.array(["down", "up"])

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), np.nan)

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


@pytest.mark.parametrize(("model", "y"), BOTH)
def test_missing_answers_of_the_estimator_are_refused(model, y):
    with pytest.raises(InputError, match=r"predict.* of Broken has NaN"):
        clone(model).set_params(estimator=Broken()).fit(X, y)
