"""`evaluate`: equal to scikit-learn where it computes the same, reproducible, and clear about bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression as PlainLogistic
from sklearn.linear_model import Ridge as PlainRidge
from sklearn.model_selection import (
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from statsmodels.stats.proportion import proportion_confint

from credo.errors import InputError
from credo.models import SVC, LogisticRegression, Ridge
from credo.validate.evaluate import evaluate
from credo.validate.plans import Bootstrap


class _Uncloned:
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


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
        for part in ("value", "standard_error"):
            ours, theirs = (getattr(found.claim("squared"), part) for found in (whole, named))
            assert ours == pytest.approx(theirs, rel=1e-12)


@pytest.fixture(scope="module")
def in_groups():
    """20 groups of 10 rows with a column each: what is learned of a group says nothing about others."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 10)
    y = rng.normal(size=20)[groups] + 0.1 * rng.normal(size=200)
    return np.eye(20)[groups], y, groups


@pytest.mark.parametrize("plan", ["5-fold", "hold-out 0.3", "leave-one-out", "60 bootstrap", Bootstrap(60)])
@pytest.mark.parametrize("model", [Ridge(alpha=0.01), PlainRidge(alpha=0.01)], ids=["weights", "rows"])
def test_what_is_learned_of_a_group_does_not_leak(in_groups, plan, model):
    """The risk at a new group is the variance of groups and more, that at a new row of a known one 0.01."""
    X, y, groups = in_groups
    spread = np.var(y)
    leaked = evaluate(model, X, y, plan=plan, scores="squared", random_state=0)["Ridge"].claims["squared"]
    honest = evaluate(model, X, y, plan=plan, scores="squared", groups=groups, random_state=0)["Ridge"]
    assert all(claim.value < 0.1 * spread for claim in leaked)
    for claim in honest.claims["squared"]:
        # Of a fit that knows all it has seen the optimism is .368 of the risk, whatever is drawn (Efron 1983).
        share = 0.25 if claim.kind == "optimism-corrected" else 0.5
        assert claim.value > share * spread, claim.kind
        assert "groups" in claim.note


def test_standard_errors_are_of_groups(in_groups):
    """That of the means of groups of one size, as a textbook has it; that of rows is a third of it."""
    X, y, groups = in_groups
    for plan in ("5-fold", "hold-out 0.3", "leave-one-out"):
        found = evaluate(PlainRidge(), X, y, plan=plan, scores="squared", groups=groups, random_state=0)
        losses = found["Ridge"].losses("squared").reshape(20, 10)
        means = np.mean(losses[found["Ridge"].held.there.reshape(20, 10)[:, 0]], axis=1)
        assert found.claim("squared").standard_error == pytest.approx(np.std(means, ddof=1) / len(means) ** 0.5)


@pytest.mark.parametrize("scores", ["squared", "log"])
def test_a_bootstrap_of_groups_of_one_row_is_that_of_rows(numbers, scores):
    X, y = numbers
    alone, groups = (
        evaluate(Ridge(alpha=1.0), X, y, plan="30 bootstrap", groups=known, scores=scores, random_state=0)["Ridge"]
        for known in (None, np.arange(120))
    )
    for claim, other in zip(alone.claims[scores], groups.claims[scores], strict=True):
        assert (other.value, other.standard_error) == pytest.approx((claim.value, claim.standard_error), rel=1e-12)


def test_rows_that_are_there_three_times_are_one_group_each(numbers):
    """Least squares to every row thrice is the same fit, so that the bootstrap of groups is that of the rows once."""
    from credo.models import LinearRegression

    X, y = numbers[0][:60, :3], numbers[1][:60]
    once = evaluate(LinearRegression(), X, y, plan="40 bootstrap", scores="squared", random_state=0)
    thrice = evaluate(
        LinearRegression(),
        *(np.repeat(X, 3, axis=0), np.repeat(y, 3)),
        plan="40 bootstrap",
        scores="squared",
        groups=np.repeat(np.arange(60), 3),
        random_state=0,
    )
    for claim, other in zip(*(r["LinearRegression"].claims["squared"] for r in (once, thrice)), strict=True):
        assert (other.value, other.standard_error) == pytest.approx((claim.value, claim.standard_error), rel=1e-9)


@pytest.mark.slow
def test_the_error_of_a_bootstrap_of_groups_is_its_spread():
    """200 tables of 25 groups of 1 to 11 rows, whose losses go together: errors against the spread of the estimates."""
    from credo.models import LinearRegression

    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(25), np.arange(25) % 11 + 1)
    found = {}
    for _ in range(200):
        X = rng.normal(size=(len(groups), 2))
        y = X[:, 0] + rng.normal(size=25)[groups] + 0.5 * rng.normal(size=len(groups))
        seed = int(rng.integers(2**31))
        for name, known in [("groups", groups), ("rows", None)]:
            options = {"plan": "60 bootstrap", "scores": "squared", "groups": known, "random_state": seed}
            claims = evaluate(LinearRegression(), X, y, **options)["LinearRegression"].claims["squared"]
            found.setdefault(name, []).append([(claim.value, claim.standard_error) for claim in claims])
    values, errors = np.moveaxis(np.array(found["groups"]), -1, 0)
    np.testing.assert_allclose(np.sqrt(np.mean(errors**2, axis=0)) / np.std(values, axis=0), 1.0, atol=0.25)
    values, errors = np.moveaxis(np.array(found["rows"]), -1, 0)
    assert np.all(np.sqrt(np.mean(errors**2, axis=0)) / np.std(values, axis=0) < 0.75)  # rows are not independent


@pytest.mark.parametrize("splitter", [KFold(5, shuffle=True), Bootstrap(8), ShuffleSplit(4)], ids=repr)
def test_all_estimators_have_the_same_splits_from_the_seed(numbers, splitter):
    X, y = numbers
    both = {"a": PlainRidge(), "b": PlainRidge()}
    found, again, other = (
        evaluate(both, X, y, plan=splitter, scores="squared", random_state=seed) for seed in (0, 0, 1)
    )
    assert found["a"].claims == found["b"].claims == again["a"].claims
    assert found["a"].claims != other["a"].claims
    free = evaluate(both, X, y, plan=splitter, scores="squared")
    assert free["a"].claims == free["b"].claims


def test_pairs_of_row_numbers_are_as_their_splitter(numbers):
    X, y = numbers
    for splitter in (KFold(4), ShuffleSplit(4, random_state=0)):
        whole = evaluate(PlainRidge(), X, y, plan=splitter, scores="squared")
        given = evaluate([PlainRidge(), Ridge(alpha=1.0)], X, y, plan=splitter.split(X), scores="squared")
        assert given.claim("squared", "Ridge 1") == whole.claim("squared")
        assert given.claim("squared", "Ridge 2").value == pytest.approx(whole.claim("squared").value)


def test_estimators_without_a_seed_get_one(numbers):
    X, y = numbers
    forest = RandomForestRegressor(5)
    deep = make_pipeline(StandardScaler(), BaggingRegressor(DecisionTreeRegressor(max_features=2), n_estimators=3))

    def risk(models, seed):
        found = evaluate(models, X, y, plan="2-fold", scores="squared", random_state=seed)
        return [result.claims["squared"][0].value for result in found.results.values()]

    assert risk([forest, deep], 0) == risk([forest, deep], 0)
    assert risk([forest, deep], 0) == risk(forest, 0) + risk(deep, 0)  # whatever else is evaluated
    assert forest.random_state is None
    assert not [value for name, value in deep.get_params().items() if name.endswith("random_state") and value]
    split = [(np.arange(60), np.arange(60, 120))]
    values = {evaluate(forest, X, y, plan=split, scores="squared").claim("squared").value for _ in range(3)}
    assert len(values) > 1  # nothing was asked for
    own = RandomForestRegressor(5, random_state=7)
    theirs = np.mean((own.fit(X[:60], y[:60]).predict(X[60:]) - y[60:]) ** 2)
    for seed in (0, 1):
        found = evaluate(own, X, y, plan=split, scores="squared", random_state=seed)
        assert found.claim("squared").value == pytest.approx(theirs)


def test_rolling_origins_say_what_their_error_covers(numbers):
    X, y = numbers
    for plan in ("rolling 4", TimeSeriesSplit(4)):
        found = evaluate(PlainRidge(), X, y, plan=plan, scores="squared")
        claim, losses = found.claim("squared"), found["Ridge"].losses("squared")
        assert claim.standard_error == pytest.approx(stats.sem(losses[np.isfinite(losses)]))
        assert "as if independent" in claim.note
        assert "this fit" not in claim.note


def test_a_claim_knows_what_its_score_can_be(classes):
    """No error on any row is no certainty: the interval of zero of n is Wilson's, and of a group it counts groups."""
    X, y = classes
    told = np.column_stack([X, 100.0 * (y == "benign")])
    groups = np.arange(150) // 10
    for known, trials in [(None, 150), (groups, 15)]:
        options = {"plan": "5-fold", "scores": "zero-one", "groups": known, "random_state": 0}
        claim = evaluate(make_pipeline(StandardScaler(), PlainLogistic()), told, y, **options).claim("zero-one")
        assert claim.value == 0.0
        assert claim.interval() == pytest.approx(proportion_confint(0, trials, method="wilson"), abs=1e-12)


def test_nested_folds_of_few_rows_are_refused(numbers):
    X, y = numbers
    with pytest.raises(InputError, match="5 nested folds for 8 rows"):
        evaluate(PlainRidge(), X[:8], y[:8], plan="nested 5-fold")
    claim = evaluate(PlainRidge(), X[:10], y[:10], plan="nested 5-fold", scores="squared").claim("squared")
    assert np.isfinite(claim.standard_error)


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
        (Ridge(), {"groups": np.arange(7)}, "7 groups for 120 rows"),
        (Ridge(), {"groups": np.arange(120) % 7, "plan": "rolling 3"}, "rolling origins with groups"),
        (Ridge(), {"groups": np.zeros(120), "plan": "leave-one-out"}, "groups"),
        (_Uncloned(), {}, "_Uncloned cannot be cloned"),
    ],
)
def test_bad_input_is_refused(estimators, options, what, numbers):
    with pytest.raises(InputError, match=what):
        evaluate(estimators, *numbers, **options)


@pytest.mark.parametrize("model", [Ridge(), PlainRidge()])
def test_rows_that_cannot_be_learned_from_are_refused(numbers, model):
    X, y = numbers
    broken = X.copy()
    broken[3, 0] = np.nan
    for seed in range(6):  # the row is learnt from first, or asked about
        with pytest.raises(InputError, match=r"Ridge(.|\n)*NaN"):
            evaluate(model, broken, y, random_state=seed)
    with pytest.raises(InputError, match=r"Ridge.*could not convert"):
        evaluate(model, np.full(X.shape, "a"), y)
    for column in (X[:, 0], list(X[:, 0]), pd.Series(X[:, 0])):
        with pytest.raises(InputError, match=r"^evaluate: X has shape \(120,\).*reshape"):
            evaluate(model, column, y)


def test_texts_are_rows():
    texts, y = ["good tea", "bad tea", "good day", "bad day"] * 5, [1, 0, 1, 0] * 5
    for rows in (texts, np.array(texts), pd.Series(texts)):
        found = evaluate(make_pipeline(CountVectorizer(), PlainLogistic()), rows, y, scores="zero-one", random_state=0)
        assert found.claim("zero-one").value == 0.0


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
