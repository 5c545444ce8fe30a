"""Coverage of sets at finite n, around wrong models too, and equality with MAPIE and with loops."""

import numpy as np
import pytest
from mapie.classification import SplitConformalClassifier
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from credo.errors import InputError
from credo.models import SVC, NaiveBayes
from credo.validate.conformal import ConformalClassifier
from credo.validate.conformal.scores import aps_scores, conformal_quantile

rng = np.random.default_rng(0)
X, Y = load_iris(return_X_y=True)
X = X + rng.normal(size=X.shape)  # so that classes overlap
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


class Stated:
    """Probabilities that are a function of the first column, right or wrong."""

    def __init__(self, power=1.0, classes=(0, 1, 2)):
        self.power, self.classes = power, classes

    def fit(self, X, y):
        self.classes_ = np.array(self.classes)
        return self

    def predict_proba(self, X):
        raw = truth(X) ** self.power
        return raw / raw.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def truth(X):
    """The probabilities of three classes at x in (0, 1)."""
    x = np.asarray(X)[:, 0]
    raw = np.stack([np.exp(3.0 * x), np.exp(3.0 * (1.0 - x)), np.full(len(x), 2.0)], axis=1)
    return raw / raw.sum(axis=1, keepdims=True)


def drawn(draw, n):
    x = draw.random((n, 1))
    return x, (draw.random((n, 1)) > np.cumsum(truth(x), axis=1)).sum(axis=1)


@pytest.mark.parametrize("level", [0.6, 0.8, 0.9])
def test_lac_equals_mapie(level):
    model = ConformalClassifier(estimator=GaussianNB(), method="lac", random_state=0).fit(X, NAMES)
    rows = model.calibration_rows_
    peer = SplitConformalClassifier(model.estimator_, confidence_level=level, conformity_score="lac")
    labels, sets = peer.conformalize(X[rows], NAMES[rows]).predict_set(X)
    np.testing.assert_array_equal(model.predict_set(X, level), sets[:, :, 0])
    np.testing.assert_array_equal(model.predict(X), labels)
    np.testing.assert_allclose(model.scores_, peer.conformity_scores[:, 0], rtol=1e-12)


@pytest.mark.parametrize("level", [0.6, 0.8, 0.9])
def test_randomized_aps_equals_mapie_with_its_random_numbers(level, monkeypatch):
    """MAPIE draws u from one seed for the rows it calibrates with, and again for those it is asked about."""
    mapies = lambda self, stream: Complement(np.random.RandomState(5))  # noqa: E731
    split = ConformalClassifier._generator
    model = ConformalClassifier(estimator=GaussianNB(), randomized=True, random_state=0)
    with monkeypatch.context() as patch:
        patch.setattr(
            ConformalClassifier, "_generator", lambda self, stream: (mapies if stream else split)(self, stream)
        )
        sets = model.fit(X, NAMES).predict_set(X, level)
    rows = model.calibration_rows_
    peer = SplitConformalClassifier(
        model.estimator_, confidence_level=level, conformity_score="aps", random_state=np.random.RandomState(5)
    ).conformalize(X[rows], NAMES[rows])
    np.testing.assert_allclose(model.scores_, peer.conformity_scores[:, 0], rtol=1e-9, atol=1e-12)
    peer._mapie_classifier.conformity_score_function_.random_state = np.random.RandomState(5)
    _, expected = peer.predict_set(X, conformity_score_params={"include_last_label": "randomized"})
    np.testing.assert_array_equal(sets, expected[:, :, 0])


class Complement:
    """The share that is added, where MAPIE draws the one that is taken off."""

    def __init__(self, state):
        self.state = state

    def random(self, n):
        return 1.0 - self.state.uniform(size=n)


def test_sets_are_those_of_a_loop():
    groups = np.arange(150) % 2
    model = ConformalClassifier(estimator=GaussianNB(), random_state=0).fit(X, NAMES, groups=groups)
    sets, p = model.predict_set(X, 0.8, groups=groups), model.estimator_.predict_proba(X)
    rows = model.calibration_rows_
    for group in (0, 1):
        of_group = rows[groups[rows] == group]
        scores = sorted(sum(q for q in p[i] if q > p[i, Y[i]]) for i in of_group)
        bound = scores[int(np.ceil((len(scores) + 1) * 0.8 - 1e-9)) - 1]
        for i in np.flatnonzero(groups == group):
            expected = [sum(q for q in p[i] if q > p[i, c]) <= bound + 1e-14 for c in range(3)]
            assert sets[i].tolist() == expected


@pytest.mark.parametrize("power", [1.0, -2.0], ids=["right", "wrong"])
@pytest.mark.parametrize("settings", [{"method": "lac"}, {}, {"randomized": True}], ids=["lac", "aps", "randomized"])
def test_coverage_holds_whatever_the_probabilities(settings, power):
    draw, n, level, times = np.random.default_rng(1), 24, 0.8, 200
    rates = []
    for t in range(times):
        x, y = drawn(draw, n + 300)
        stated = Stated(power).fit(x, y)  # which looks at neither
        model = ConformalClassifier(estimator=stated, calibration=1.0, random_state=t, **settings)
        sets = model.fit(x[:n], y[:n]).predict_set(x[n:], level)
        rates.append(np.mean(sets[np.arange(300), y[n:]]))
    error = 4.0 * np.std(rates) / np.sqrt(times)
    assert np.mean(rates) >= model.guarantee(level) - error
    if settings:  # scores without ties; of plain APS many are zero
        assert np.mean(rates) <= level + 1.0 / (n + 1) + error
    assert np.mean(rates) < 0.97  # and not by having every class


def test_randomized_coverage_has_its_beta_distribution():
    """With a fitted model, coverage given the calibration rows: Beta(k, n + 1 − k), asked of 2000 new rows."""
    draw, n, level, rates = np.random.default_rng(2), 19, 0.8, []
    x, y = drawn(draw, 2000)
    fitted = Stated(2.0).fit(x, y)
    for t in range(300):
        seen, labels = drawn(draw, n)
        model = ConformalClassifier(estimator=fitted, randomized=True, calibration=1.0, random_state=t)
        rates.append(np.mean(model.fit(seen, labels).predict_set(x, level)[np.arange(2000), y]))
    k = int(np.ceil((n + 1) * level))
    assert stats.kstest(rates, stats.beta(k, n + 1 - k).cdf).pvalue > 1e-3


def test_mondrian_coverage_holds_in_each_group():
    draw, n, level, times = np.random.default_rng(3), 80, 0.8, 80
    rates = {True: np.zeros((times, 2)), False: np.zeros((times, 2))}
    for t in range(times):
        x, y = drawn(draw, n + 300)
        groups = np.r_[0, 1, draw.random(n + 298) < 0.3].astype(int)
        y = np.where(groups == 1, draw.integers(0, 3, n + 300), np.argmax(truth(x), axis=1))  # noise, and none
        for grouped in (True, False):
            model = ConformalClassifier(estimator=Stated(), method="lac", calibration=0.5, random_state=t)
            model.fit(x[:n], y[:n], groups=groups[:n] if grouped else None)
            sets = model.predict_set(x[n:], level, groups=groups[n:] if grouped else None)
            inside = sets[np.arange(300), y[n:]]
            rates[grouped][t] = [np.mean(inside[groups[n:] == group]) for group in (0, 1)]
    mean, error = np.mean(rates[True], axis=0), 4.0 * np.std(rates[True], axis=0) / np.sqrt(times)
    assert np.all(mean >= level - error)
    assert np.mean(rates[False], axis=0)[1] < level - 0.1  # which without groups is not so


def test_random_sets_repeat_with_a_seed_and_may_be_empty():
    settings = {"estimator": GaussianNB(), "random_state": 0}
    model = ConformalClassifier(randomized=True, **settings).fit(X, NAMES)
    np.testing.assert_array_equal(model.predict_set(X), model.predict_set(X))
    other = ConformalClassifier(randomized=True, estimator=GaussianNB(), random_state=1).fit(X, NAMES)
    assert not np.array_equal(model.predict_set(X), other.predict_set(X))
    plain = ConformalClassifier(**settings).fit(X, NAMES).predict_set(X)
    assert np.all(plain.any(axis=1))
    assert not np.all(model.predict_set(X, 0.6).any(axis=1))


def test_a_class_that_was_held_out_entirely_has_probability_zero():
    y = np.where(np.arange(150) == 0, "rare", NAMES)
    model = next(
        model
        for seed in range(100)
        if 0 in (model := ConformalClassifier(estimator=GaussianNB(), random_state=seed).fit(X, y)).calibration_rows_
    )
    assert model.classes_.tolist() == ["rare", "setosa", "versicolor", "virginica"]
    assert model.estimator_.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    np.testing.assert_array_equal(model.predict_proba(X)[:, 0], 0.0)
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1:], model.estimator_.predict_proba(X))
    p = model.predict_proba(X)[model.calibration_rows_]
    codes = np.searchsorted(model.classes_, y[model.calibration_rows_])
    bound = conformal_quantile(aps_scores(p)[np.arange(len(p)), codes], 0.9)
    np.testing.assert_array_equal(model.predict_set(X), aps_scores(model.predict_proba(X)) <= bound)


def test_credos_classifiers_go_in_and_the_certificate_speaks():
    model = ConformalClassifier(estimator=NaiveBayes(), random_state=0).fit(X, NAMES)
    assert model.predict_set(X).dtype == bool
    assert np.mean(model.predict_set(X, 0.9)[np.arange(150), Y]) > 0.8
    np.testing.assert_array_equal(model.predict(X), model.classes_[np.argmax(model.predict_proba(X), axis=1)])
    assert model.certificate_.kind == "bounded"
    assert model.certificate_.error == 0.0
    for said in ("1 − α or more", "n = 38 ", "exchangeable", "marginal"):
        assert said in str(model.certificate_)


@pytest.mark.parametrize("estimator", [SVC(), LinearSVC()], ids=["credo", "scikit-learn"])
def test_estimators_without_probabilities_are_refused(estimator):
    with pytest.raises(InputError, match=f"{type(estimator).__name__} has no predict_proba.*CalibratedClassifierCV"):
        ConformalClassifier(estimator=estimator).fit(X, NAMES)


def test_one_class_is_refused_also_where_only_one_is_left():
    with pytest.raises(InputError, match=r"y has one class only: .*setosa"):
        ConformalClassifier(estimator=GaussianNB()).fit(X[:50], NAMES[:50])
    few = ConformalClassifier(estimator=GaussianNB(), calibration=0.7, random_state=0)
    with pytest.raises(InputError, match="part of y to learn from has one class only"):
        few.fit(X[48:51][[0, 1, 2, 1]], NAMES[48:51][[0, 1, 2, 1]])
    with pytest.raises(InputError, match="part of y to learn from has no class"):
        ConformalClassifier(estimator=GaussianNB(), calibration=0.9).fit(X[49:51], NAMES[49:51])
    with pytest.raises(InputError, match="Unknown label type"):
        ConformalClassifier(estimator=GaussianNB()).fit(X, X[:, 0])
