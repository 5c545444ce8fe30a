"""Laws of units: what a generalized linear model predicts depends neither on a column's unit nor on its origin."""

import warnings

import numpy as np
import pytest
from scipy import optimize, sparse, special

from credo.errors import ConvergenceWarning, InputError, UndefinedError
from credo.models import GLM, GammaRegression, LogisticRegression, PoissonRegression, SoftmaxRegression

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
ETA = 0.3 + X @ [0.7, -0.5, 0.2]
NEW = rng.normal(size=(20, 3))
MODELS = {
    "gaussian": (GLM(), ETA + rng.normal(size=200)),
    "poisson": (PoissonRegression(), rng.poisson(np.exp(ETA)).astype(float)),
    "gamma": (GammaRegression(), rng.gamma(3.0, np.exp(ETA) / 3.0)),
    "logistic": (LogisticRegression(), (rng.random(200) < special.expit(ETA)).astype(int)),
    "softmax": (
        SoftmaxRegression(random_state=0),
        np.argmax(np.outer(ETA, [1, 0, -1]) + rng.gumbel(size=(200, 3)), axis=1),
    ),
}
SEPARATED = (X[:, 0] > 0.2).astype(int)
UNITS = [1e-100, 1e-12, 1e15, 1e100]


def spoken(model, rows):
    """Mean and variance of the belief at each row."""
    belief = model.predict_dist(rows)
    return np.asarray(belief.mean), np.asarray(belief.variance)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("unit", UNITS)
def test_the_unit_of_a_column_changes_no_prediction(name, unit):
    model, y = MODELS[name]
    scale = np.array([unit, 1.0, 1.0 / unit])
    for ours, expected in zip(spoken(model.fit(X * scale, y), NEW * scale), spoken(model.fit(X, y), NEW), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_a_shift_of_a_million_standard_deviations_changes_no_prediction(name):
    model, y = MODELS[name]
    shift = np.array([1e6, 0.0, -1e6])
    here = X + shift - shift  # rounded as the shifted columns are
    there = NEW + shift - shift
    expected = spoken(model.fit(here, y), there)
    for ours, theirs in zip(spoken(model.fit(X + shift, y), NEW + shift), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "softmax"])
def test_slopes_and_their_errors_of_a_time_stamp(name):
    model, y = MODELS[name]
    stamp = np.column_stack([1.7e9 + 1000.0 * X[:, 0], X[:, 1:]])
    seconds = np.column_stack([1000.0 * X[:, 0], X[:, 1:]])
    for covariance in ("classical", "HC1"):
        ours, theirs = (model.fit(A, y).estimates(covariance=covariance)["y0"] for A in (stamp, seconds))
        np.testing.assert_allclose(ours.values[1:], theirs.values[1:], rtol=1e-6)
        np.testing.assert_allclose(ours.standard_errors[1:], theirs.standard_errors[1:], rtol=1e-6)


def test_a_sparse_time_stamp():
    model, y = MODELS["poisson"]
    stamp = np.column_stack([1.7e9 + 1000.0 * X[:, 0], np.where(X[:, 1:] > 0.5, X[:, 1:], 0.0)])
    expected = spoken(model.fit(stamp, y), stamp)
    for ours, theirs in zip(
        spoken(model.fit(sparse.csr_array(stamp), y), sparse.csr_array(stamp)), expected, strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-8)


@pytest.mark.parametrize("settings", [{}, {"ridge": 0.5}, {"lasso": 0.5}])
def test_replicates_of_a_shifted_column_change_no_prediction(settings):
    y, shift = MODELS["logistic"][1], np.array([1e9, 0.0, -1e9])
    W = np.random.default_rng(1).multinomial(200, np.full(200, 1 / 200), size=3).astype(float)
    W[2] = SEPARATED == y  # a replicate of separated classes is fitted alone
    model = LogisticRegression(**settings)
    here, there = X + shift - shift, NEW + shift - shift
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, theirs = (model.fit_many(A, y, W).predict_dist(B) for A, B in ((X + shift, NEW + shift), (here, there)))
    np.testing.assert_allclose(ours.mean, theirs.mean, rtol=1e-6)
    np.testing.assert_allclose(ours.variance, theirs.variance, rtol=1e-6)


@pytest.mark.parametrize("unit", [1e-150, *UNITS])
def test_separated_classes_are_found_in_every_unit(unit):
    with pytest.warns(ConvergenceWarning, match="complete separation"):
        model = LogisticRegression().fit(X * [unit, 1.0, 1.0], SEPARATED)
    assert model.separated_ == "complete"
    assert model.score(X * [unit, 1.0, 1.0], SEPARATED) == 1.0
    with pytest.raises(UndefinedError, match="complete separation"):
        model.summary()


@pytest.mark.parametrize("unit", [1e-150, *UNITS])
def test_a_group_without_counts_is_found_in_every_unit(unit):
    group = SEPARATED.astype(float)
    y = np.where(SEPARATED, 0.0, 1.0 + MODELS["poisson"][1])
    with pytest.warns(ConvergenceWarning, match="partial separation"):
        model = PoissonRegression().fit(np.column_stack([unit * group, X[:, 1]]), y)
    predictions = model.predict(np.column_stack([unit * group, X[:, 1]]))
    assert np.max(predictions[SEPARATED == 1]) < 0.05
    assert np.all(np.isfinite(predictions))


PENALTIES = [{"ridge": 3.0}, {"lasso": 3.0}, {"ridge": 1.0, "lasso": 2.0}]


@pytest.mark.parametrize("unit", [1e-1, 1.0, 1e3])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_penalty_is_on_the_coefficients_of_the_columns_as_they_came(unit, penalty):
    """Against a general minimizer of the stated objective, whose slopes are differences of two positive parts."""
    y, ridge, lasso = MODELS["poisson"][1], penalty.get("ridge", 0.0), penalty.get("lasso", 0.0)
    scale = np.array([unit, 1.0, 1.0])

    def objective(free):
        slopes, sizes = (free[1:4] - free[4:]) / scale, (free[1:4] + free[4:]) / scale
        eta = free[0] + (X * scale) @ slopes
        return np.sum(np.exp(eta) - y * eta) + 0.5 * ridge * slopes @ slopes + lasso * np.sum(sizes)

    bounds = [(None, None)] + [(0.0, None)] * 6
    options = {"ftol": 1e-15, "gtol": 1e-9}
    best = optimize.minimize(objective, np.zeros(7), bounds=bounds, method="L-BFGS-B", options=options).x
    model = PoissonRegression(**penalty).fit(X * scale, y)
    np.testing.assert_allclose(model.coef_ * scale, best[1:4] - best[4:], rtol=1e-3, atol=1e-4)
    assert model.certificate_.converged


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_penalty_in_extreme_units_keeps_a_column_out_or_lets_it_go_free(penalty):
    y = MODELS["poisson"][1]
    out = PoissonRegression(**penalty).fit(X * [1e-60, 1.0, 1.0], y)
    without = PoissonRegression(**penalty).fit(X[:, 1:], y)
    np.testing.assert_allclose(out.predict(NEW * [1e-60, 1.0, 1.0]), without.predict(NEW[:, 1:]), rtol=1e-6)
    free = PoissonRegression(**penalty).fit(X * [1e60, 1e60, 1e60], y)
    plain = PoissonRegression().fit(X, y)
    np.testing.assert_allclose(free.coef_ * 1e60, plain.coef_, rtol=1e-6)


def test_units_out_of_range_are_refused():
    with pytest.raises(InputError, match="PoissonRegression: column 1 of X has a spread of"):
        PoissonRegression().fit(X * [1.0, 1e-200, 1.0], MODELS["poisson"][1])
