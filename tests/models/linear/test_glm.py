"""Generalized linear models: doors, offsets, exposure, trials, coverage of each family."""

import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from credo.errors import ConvergenceWarning, CredoWarning, InputError
from credo.infer import NegativeBinomialFamily
from credo.models import GLM, GammaRegression, LinearRegression, PoissonRegression

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 2))
ETA = 0.4 + X @ [0.5, -0.3]
COUNTS = rng.poisson(np.exp(ETA)).astype(float)


def test_doors_are_the_families():
    np.testing.assert_array_equal(PoissonRegression().fit(X, COUNTS).coef_, GLM(family="poisson").fit(X, COUNTS).coef_)
    y = COUNTS + 0.5
    np.testing.assert_array_equal(GammaRegression().fit(X, y).coef_, GLM(family="gamma", link="log").fit(X, y).coef_)


def test_a_gaussian_is_least_squares():
    y = ETA + rng.normal(size=120)
    ours, theirs = GLM().fit(X, y).estimates()["y0"], LinearRegression().fit(X, y).estimates()["y0"]
    np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-10)
    np.testing.assert_allclose(ours.covariance, theirs.covariance, rtol=1e-10)
    assert ours.degrees == theirs.degrees


def test_exposure_is_an_offset_of_its_logarithm():
    hours = rng.uniform(0.5, 4.0, 120)
    peer = sm.GLM(COUNTS, sm.add_constant(X), family=sm.families.Poisson(), exposure=hours).fit(tol=1e-14)
    model = PoissonRegression().fit(X, COUNTS, exposure=hours)
    np.testing.assert_allclose(model.coefficients_, peer.params, rtol=1e-8)
    same = PoissonRegression().fit(X, COUNTS, offset=np.log(hours))
    np.testing.assert_allclose(model.coefficients_, same.coefficients_, rtol=1e-12)
    double = model.predict(X[:3], exposure=np.full(3, 2.0))
    np.testing.assert_allclose(double, 2.0 * model.predict(X[:3]), rtol=1e-12)
    np.testing.assert_allclose(model.predict_dist(X[:3], exposure=np.full(3, 2.0)).mean, double, rtol=1e-10)


def test_trials_of_a_binomial():
    trials = rng.integers(2, 9, 120)
    successes = rng.binomial(trials, 1 / (1 + np.exp(-ETA)))
    model = GLM(family="binomial").fit(X, successes / trials, trials=trials)
    peer = sm.GLM(
        np.column_stack([successes, trials - successes]), sm.add_constant(X), family=sm.families.Binomial()
    ).fit(tol=1e-14)
    np.testing.assert_allclose(model.coefficients_, peer.params, rtol=1e-7)
    np.testing.assert_allclose(model.estimates()["y0"].standard_errors, peer.bse, rtol=1e-7)
    belief = model.predict_dist(X[:2], trials=[10, 20])
    np.testing.assert_allclose(belief.mean / np.array([10, 20]), model.predict(X[:2]), rtol=1e-9)


def test_clustered_errors_are_those_of_statsmodels():
    groups = np.arange(120) // 6
    peer = sm.GLM(COUNTS, sm.add_constant(X), family=sm.families.Poisson()).fit(
        tol=1e-14, cov_type="cluster", cov_kwds={"groups": groups}
    )
    model = PoissonRegression().fit(X, COUNTS)
    np.testing.assert_allclose(model.estimates(groups=groups)["y0"].standard_errors, peer.bse, rtol=1e-6)


def test_weights_are_frequencies_in_every_statement():
    w = rng.integers(0, 4, 120)
    weighted = GLM(family="gamma").fit(X, COUNTS + 1.0, sample_weight=w)
    repeated = GLM(family="gamma").fit(np.repeat(X, w, axis=0), np.repeat(COUNTS + 1.0, w))
    for name, value in weighted.summary().facts.items():
        np.testing.assert_allclose(value, repeated.summary().facts[name], rtol=1e-9)
    for kind in ("classical", "HC1"):
        np.testing.assert_allclose(
            weighted.estimates(covariance=kind)["y0"].covariance,
            repeated.estimates(covariance=kind)["y0"].covariance,
            rtol=1e-8,
        )


def draw(family, mean, rng):
    return {
        "gaussian": lambda: mean + rng.normal(size=len(mean)),
        "bernoulli": lambda: (rng.random(len(mean)) < mean).astype(float),
        "poisson": lambda: rng.poisson(mean).astype(float),
        "gamma": lambda: rng.gamma(4.0, mean / 4.0),
        "inverse gaussian": lambda: rng.wald(mean, 5.0),
        "negative binomial": lambda: rng.negative_binomial(2.0, 2.0 / (2.0 + mean)).astype(float),
    }[family]()


slow = pytest.mark.slow
OTHERS = ("gaussian", "bernoulli", "gamma", "inverse gaussian", "negative binomial")


@pytest.mark.parametrize("family", ["poisson", *(pytest.param(family, marks=slow) for family in OTHERS)])
def test_coefficients_are_covered_at_their_level(family):
    rng = np.random.default_rng(2)
    given = NegativeBinomialFamily(0.5) if family == "negative binomial" else family
    inside = 0
    for _ in range(500):
        A = rng.normal(size=(100, 2))
        model = GLM(family=given)
        mean = model._link().mean(0.2 + A @ [0.5, -0.3])
        low, high = model.fit(A, draw(family, mean, rng)).estimates()["y0"].interval(0.9)
        inside += low[1] < 0.5 < high[1]
    assert stats.binomtest(int(inside), 500, 0.9).pvalue > 1e-3


@pytest.mark.slow
def test_coefficients_of_a_binomial_are_covered_at_their_level():
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(500):
        A, trials = rng.normal(size=(60, 2)), rng.integers(1, 9, 60)
        successes = rng.binomial(trials, 1.0 / (1.0 + np.exp(-0.2 - A @ [0.5, -0.3])))
        model = GLM(family="binomial").fit(A, successes / trials, trials=trials)
        low, high = model.estimates()["y0"].interval(0.9)
        inside += low[1] < 0.5 < high[1]
    assert stats.binomtest(int(inside), 500, 0.9).pvalue > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("family", ["poisson", "gamma"])
def test_new_observations_are_covered(family):
    """Of a discrete one at least at its level."""
    rng = np.random.default_rng(3)
    inside, rows = 0, 0
    for _ in range(20):
        A = rng.normal(size=(160, 2))
        y = draw(family, np.exp(1.0 + A @ [0.5, -0.3]), rng)
        low, high = GLM(family=family).fit(A[:60], y[:60]).predict_interval(A[60:], level=0.9)
        inside, rows = inside + int(np.sum((low <= y[60:]) & (y[60:] <= high))), rows + 100
    assert 0.88 < inside / rows < (0.97 if family == "poisson" else 0.92)


def test_a_group_without_counts_is_reported():
    group = np.repeat([0.0, 1.0], 60)[:, None]
    y = np.where(group[:, 0] == 1.0, 0.0, 1.0 + COUNTS)
    with pytest.warns(ConvergenceWarning, match="partial separation"):
        assert PoissonRegression().fit(group, y).separated_ == "partial"


@pytest.mark.parametrize("model", [PoissonRegression(), PoissonRegression(lasso=1.0), GLM(family="negative binomial")])
def test_counts_that_are_not_whole_numbers_are_visible(model):
    y = COUNTS.copy()
    y[3] = 101.5
    with pytest.warns(
        CredoWarning, match=r"1 of 120 targets are not whole numbers, for example 101\.5.*quasi-likelihood"
    ):
        model.fit(X, y)
    assert "quasi-likelihood" in str(model.certificate_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, COUNTS)
    assert "quasi-likelihood" not in str(model.certificate_)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["gaussian", "gamma"])
def test_new_observations_after_a_lasso_are_covered_where_rows_are_many(family):
    """Only the family's own variation is: with 400 rows and 200 columns that costs a few hundredths, not more."""
    rng = np.random.default_rng(4)
    inside, rows = 0, 0
    for _ in range(10):
        A = rng.normal(size=(600, 200))
        y = draw(family, GLM(family=family)._link().mean(1.0 + A[:, :2] @ [0.5, -0.3]), rng)
        lasso = 2.0 * np.sqrt(400 * np.log(200) * (1.0 if family == "gaussian" else 0.25))
        low, high = GLM(family=family, lasso=lasso).fit(A[:400], y[:400]).predict_interval(A[400:], level=0.9)
        inside, rows = inside + int(np.sum((low <= y[400:]) & (y[400:] <= high))), rows + 200
    assert 0.87 < inside / rows < 0.93


def test_doors_take_a_lasso_with_offset_trials_and_weights():
    wide = np.random.default_rng(5).normal(size=(120, 300))
    wide[:, :2] = X
    times = np.random.default_rng(6).integers(0, 3, 120)
    model = PoissonRegression(lasso=20.0).fit(wide, COUNTS, sample_weight=times, exposure=2.0)
    again = PoissonRegression(lasso=20.0).fit(np.repeat(wide, times, axis=0), np.repeat(COUNTS, times), exposure=2.0)
    np.testing.assert_allclose(model.coefficients_, again.coefficients_, atol=1e-9)
    assert 0 < np.count_nonzero(model.coef_) < 60
    assert model.certificate_.error < 1e-6
    trials = np.full(120, 3)
    thirds = GLM(family="binomial", lasso=10.0).fit(X, np.minimum(COUNTS, 3.0) / 3.0, trials=trials)
    counted = GLM(family="binomial", lasso=10.0).fit(X, np.minimum(COUNTS, 3.0) / 3.0, sample_weight=trials)
    np.testing.assert_allclose(thirds.coefficients_, counted.coefficients_, atol=1e-9)


@pytest.mark.parametrize(
    ("model", "y", "given", "match"),
    [
        (PoissonRegression(), -COUNTS, {}, "not negative"),
        (GammaRegression(), COUNTS * 0.0, {}, "positive number"),
        (GLM(family="bernoulli"), COUNTS, {}, "0 or 1"),
        (GLM(), COUNTS, {"exposure": np.ones(120)}, "link='log'"),
        (PoissonRegression(), COUNTS, {"exposure": np.zeros(120)}, "exposure"),
        (PoissonRegression(), COUNTS, {"trials": np.ones(120)}, "binomial"),
        (PoissonRegression(), COUNTS, {"offset": np.ones(3)}, "shape"),
        (PoissonRegression(), COUNTS, {"offset": np.full(120, np.nan)}, "NaN"),
    ],
)
def test_bad_input(model, y, given, match):
    with pytest.raises(InputError, match=match):
        model.fit(X, y, **given)
