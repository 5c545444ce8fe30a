"""`evaluate`: equal to scikit-learn where it computes the same, reproducible, and clear about bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression as PlainLogistic
from sklearn.linear_model import Ridge as PlainRidge
from sklearn.model_selection import KFold, RepeatedKFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from credo.errors import InputError
from credo.models import SVC, LogisticRegression, Ridge
from credo.validate.evaluate import evaluate


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True)
    return X[:120], y[:120]


@pytest.fixture(scope="module")
def classes():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:150, :4], np.array(["malignant", "benign"])[y[:150]]


@pytest.mark.parametrize("splitter", [KFold(4), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)])
def test_equals_scikit_learn_for_numbers(numbers, splitter):
    X, y = numbers
    found = evaluate({"ours": Ridge(alpha=1.0), "theirs": PlainRidge()}, X, y, plan=splitter, scores="squared")
    theirs = -cross_val_score(PlainRidge(), X, y, cv=splitter, scoring="neg_mean_squared_error")
    for name in ("ours", "theirs"):
        np.testing.assert_allclose(found[name].by_refit("squared"), theirs, rtol=1e-7)
        assert found.claim("squared", name).value == pytest.approx(np.mean(theirs), rel=1e-7)  # folds of one size


def test_equals_scikit_learn_for_classes(classes):
    X, y = classes
    splitter = StratifiedKFold(5)
    model = make_pipeline(StandardScaler(), PlainLogistic())
    found = evaluate(model, X, y, plan=splitter, scores=["zero-one", "log", "F1"])["Pipeline"]
    for score, scoring, sign in [("zero-one", "accuracy", -1), ("log", "neg_log_loss", 1), ("F1", "f1", 0)]:
        if scoring == "f1":
            theirs = cross_val_score(model, X, y == "malignant", cv=splitter, scoring="f1")
        else:
            theirs = cross_val_score(model, X, y, cv=splitter, scoring=scoring)
            theirs = 1.0 - theirs if sign == -1 else -theirs
        np.testing.assert_allclose(found.by_refit(score), theirs, rtol=1e-9)


def test_the_out_of_bag_error_is_that_of_mlxtend(classes):
    from mlxtend.evaluate import BootstrapOutOfBag

    X, y = classes
    codes = (y == "malignant").astype(int)
    model = make_pipeline(StandardScaler(), PlainLogistic())

    class Theirs:
        def split(self, X, y=None, groups=None):
            return BootstrapOutOfBag(n_splits=20, random_seed=1).split(np.asarray(X))

        def get_n_splits(self, X=None, y=None, groups=None):
            return 20

    theirs = [1.0 - model.fit(X[train], codes[train]).score(X[test], codes[test]) for train, test in Theirs().split(X)]
    found = evaluate(model, X, codes, plan=Theirs(), scores="zero-one")["Pipeline"]
    np.testing.assert_allclose(found.by_refit("zero-one"), theirs, rtol=1e-12)


def test_is_reproducible_from_its_seed(numbers):
    X, y = numbers
    one, again, other = (
        evaluate(Ridge(alpha=1.0), X, y, plan="20 bootstrap", scores="squared", random_state=seed).claim("squared")
        for seed in (1, 1, 2)
    )
    assert one == again
    assert one.value != other.value


def test_frames_and_groups_go_in(numbers):
    X, y = numbers
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    for model in (Ridge(alpha=1.0), PlainRidge()):
        whole, named = (
            evaluate(model, rows, y, groups=np.arange(len(y)) // 5, scores="squared", random_state=0)
            for rows in (X, frame)
        )
        assert whole.claim("squared") == named.claim("squared")


def test_leave_one_out_is_the_closed_form_of_least_squares(numbers):
    X, y = numbers
    design = np.column_stack([np.ones(len(y)), X])
    hat = design @ np.linalg.pinv(design)
    left_out = (y - hat @ y) / (1.0 - np.diag(hat))
    from credo.models import LinearRegression

    found = evaluate(LinearRegression(), X, y, plan="leave-one-out", scores="squared").claim("squared")
    assert found.value == pytest.approx(np.mean(left_out**2), rel=1e-8)


def test_what_is_asked_decides_what_is_said(classes):
    X, y = classes
    found = evaluate([LogisticRegression(ridge=1.0), SVC()], X, y, scores=["zero-one", "hinge"], random_state=0)
    assert list(found.results) == ["LogisticRegression", "SVC"]
    assert set(found["SVC"].claims) == {"zero-one", "hinge"}
    two = evaluate([PlainRidge(), PlainRidge(alpha=5.0)], X, np.arange(150.0), random_state=0)
    assert list(two.results) == ["Ridge 1", "Ridge 2"]


@pytest.mark.parametrize(
    ("estimators", "options", "what"),
    [
        (Ridge, {}, "is a class and not an object"),
        ([], {}, "no estimator"),
        ("ridge", {}, "no fit and predict"),
        ([Ridge(), LogisticRegression()], {}, "classifiers and regressors"),
        (Ridge(), {"plan": "200-fold"}, "1 times 200 folds for 120 rows"),
        (PlainRidge(), {"scores": "crps"}, "no predict_dist"),
        (Ridge(), {"scores": "accuracy"}, "'accuracy' of numbers"),
    ],
)
def test_bad_input_is_refused(estimators, options, what, numbers):
    with pytest.raises(InputError, match=what):
        evaluate(estimators, *numbers, **options)


def test_nan_in_rows_is_refused_by_the_estimator(numbers):
    X, y = numbers
    broken = X.copy()
    broken[3, 0] = np.nan
    with pytest.raises(InputError, match="NaN"):
        evaluate(Ridge(), broken, y)


def test_a_class_of_one_row_is_said_to_be_too_small(classes):
    X, y = classes
    labels = y.copy()
    labels[:] = "b"
    labels[0] = "a"
    with pytest.raises(InputError, match="class"), pytest.warns(UserWarning, match="least populated"):
        evaluate(PlainLogistic(), X, labels, random_state=0)


def test_leave_one_out_of_a_gaussian_process_is_its_own(numbers):
    from credo.kernels import RBF
    from credo.models import GPRegressor

    X, y = numbers[0][:30, :2], numbers[1][:30]
    model = GPRegressor(kernel=RBF(lengthscale=0.1), random_state=0)
    found = evaluate(model, X, y, plan="leave-one-out", scores=["squared", "log"], random_state=0)
    alone = model.fit(X, y).loo_
    result = found["GPRegressor"]
    np.testing.assert_allclose(result.losses("squared"), (np.asarray(alone.mean) - y) ** 2, rtol=1e-9)
    np.testing.assert_allclose(result.losses("log"), -np.asarray(alone.log_prob(y)), rtol=1e-9)
    assert "closed form" in " ".join(found.certificate.notes)
    assert found["GPRegressor"].held.there.all()
