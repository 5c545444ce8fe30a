"""Refits: the same by weights and by rows, and held rows touch no fit."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression as PlainRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from credo.errors import InputError
from credo.models import LogisticRegression, Ridge
from credo.numerics.progress import SilentTracker
from credo.validate.plans import as_plan
from credo.validate.predictions import targets_of
from credo.validate.refit import refit
from credo.validate.scores import as_scores


class ByRows(RegressorMixin, BaseEstimator):
    """A ridge whose refits in one call are hidden."""

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, X, y):
        self.model_ = Ridge(alpha=self.alpha).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_dist(self, X):
        return self.model_.predict_dist(X)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    return X, X @ [1.0, 0.0, -1.0] + rng.normal(size=40)


def refits(estimator, X, y, plan, scores=None, *, classes=False, **options):
    targets = targets_of(y, classes=classes, rows=len(X))
    asked = as_scores(scores, estimator, targets.classes)
    chosen = as_plan(plan, len(X), classes=classes, seed=0)
    return refit(estimator, X, targets, chosen, asked, track=SilentTracker(), **options)


@pytest.mark.parametrize("plan", ["4-fold", "2x3-fold", "leave-one-out", "hold-out", "12 bootstrap", "nested 3-fold"])
def test_weights_and_rows_are_the_same_refits(plan, table):
    X, y = table
    weights, rows = refits(Ridge(alpha=1.0), X, y, plan), refits(ByRows(), X, y, plan)
    assert weights.batched
    assert not rows.batched
    for name, tally in weights.tallies.items():
        other = rows.tallies[name]
        for part in ("rows", "refits", "everywhere", "inside", "moved"):
            np.testing.assert_allclose(getattr(tally, part), getattr(other, part), rtol=1e-7, atol=1e-9)
        for (at, losses), (there, others) in zip(tally.losses, other.losses, strict=True):
            np.testing.assert_array_equal(at, there)
            np.testing.assert_allclose(losses, others, rtol=1e-7, atol=1e-9)
    for part in ("there", "point", "pit", "std", "inside"):
        np.testing.assert_allclose(getattr(weights.held, part), getattr(rows.held, part), rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(weights.times, rows.times)
    np.testing.assert_array_equal(weights.drawn, rows.drawn)


def test_blocks_of_refits_are_the_whole(table, monkeypatch):
    X, y = table
    whole = refits(Ridge(alpha=1.0), X, y, "12 bootstrap", "squared")
    monkeypatch.setattr("credo.validate.refit._ENTRIES", 200)
    blocks = refits(Ridge(alpha=1.0), X, y, "12 bootstrap", "squared")
    np.testing.assert_allclose(blocks.tallies["squared"].moved, whole.tallies["squared"].moved, rtol=1e-9)
    np.testing.assert_allclose(blocks.held.point, whole.held.point, rtol=1e-9)


@pytest.mark.parametrize(
    "estimator", [Ridge(alpha=1.0), make_pipeline(StandardScaler(), PlainRegression())], ids=["weights", "pipeline"]
)
def test_held_rows_touch_no_fit(estimator, table):
    """Rows of the held part are moved far away, targets too: what is said about the others must not move."""
    X, y = table
    plan = as_plan("5-fold", len(X), seed=0)
    (_, held), *_ = plan.splits(y)
    before = refits(estimator, X, y, "5-fold", "squared")
    moved, changed = X.copy(), y.copy()
    moved[held[0]] *= 100.0
    changed[held[0]] += 1e3
    after = refits(estimator, moved, changed, "5-fold", "squared")
    others = np.setdiff1d(held, held[:1])
    # The refit without the fold is the same, and so are its predictions for the fold's other rows; all others move.
    np.testing.assert_allclose(after.held.point[others], before.held.point[others], rtol=1e-7, atol=1e-9)
    rest = np.setdiff1d(np.arange(len(X)), held)
    assert np.all(np.abs(after.held.point[rest] - before.held.point[rest]) > 1e-3)


def test_probabilities_of_each_class_are_kept(table):
    X, y = table
    found = refits(LogisticRegression(ridge=1.0), X, np.where(y > 0, "up", "low"), "4-fold", classes=True)
    assert found.held.probabilities.shape == (40, 2)
    np.testing.assert_allclose(np.sum(found.held.probabilities, axis=1), 1.0)
    assert not found.held.has_belief


def test_one_class_to_learn_from_is_refused_with_the_remedy():
    from sklearn.dummy import DummyClassifier
    from sklearn.model_selection import KFold

    X, y = np.zeros((10, 1)), np.repeat(["a", "b"], [5, 5])
    targets = targets_of(y, classes=True, rows=10)
    plan, asked = as_plan(KFold(2), 10), as_scores("zero-one", DummyClassifier(), targets.classes)
    with pytest.raises(InputError, match=r"learn from have one class only, .*'b'.*fewer folds"):
        refit(DummyClassifier(), X, targets, plan, asked, track=SilentTracker())


def test_several_at_once_are_the_same(table):
    X, y = table
    one = refits(PlainRegression(), X, y, "4-fold")
    several = refits(PlainRegression(), X, y, "4-fold", n_jobs=2)
    np.testing.assert_array_equal(one.tallies["squared"].rows, several.tallies["squared"].rows)


def test_a_cluster_of_dask_gives_the_same(table):
    """On one machine, without processes: what is tested is that refits go there and come back."""
    import joblib
    from dask.distributed import Client, get_task_stream

    X, y = table
    alone = refits(PlainRegression(), X, y, "4-fold")
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        with get_task_stream(client) as ran, joblib.parallel_config(backend="dask"):
            there = refits(PlainRegression(), X, y, "4-fold")
        assert len(ran.data) > 0
    np.testing.assert_array_equal(there.tallies["squared"].rows, alone.tallies["squared"].rows)
