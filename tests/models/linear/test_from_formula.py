import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

import credo
from credo.errors import InputError
from credo.models import (
    GLM,
    GammaRegression,
    LinearRegression,
    LogisticRegression,
    PoissonRegression,
    SoftmaxRegression,
)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n = 120
    x, z, t = rng.normal(size=n), rng.choice(["a", "b", "c"], n), rng.uniform(0.5, 2.0, n)
    eta = 0.4 * x + (z == "b") * 0.7 - 0.2
    return pd.DataFrame(
        {
            "x": x,
            "z": z,
            "t": t,
            "y": eta + rng.normal(size=n),
            "count": rng.poisson(t * np.exp(eta)),
            "cost": np.exp(eta) * rng.gamma(3.0, 1.0 / 3.0, n),
            "sick": np.where(rng.uniform(size=n) < 1.0 / (1.0 + np.exp(-eta)), "yes", "no"),
        }
    )


def _generalized(family):
    return lambda formula, data: smf.glm(formula, data, family=family).fit(tol=1e-12)


CASES = {
    "linear": (LinearRegression, "y ~ x*C(z)", lambda f, d: smf.ols(f, d).fit()),
    "logistic": (LogisticRegression, "sick ~ x + C(z)", _generalized(sm.families.Binomial())),
    "poisson": (PoissonRegression, "count ~ x + C(z)", _generalized(sm.families.Poisson())),
    "gamma": (GammaRegression, "cost ~ x + C(z)", _generalized(sm.families.Gamma(link=sm.families.links.Log()))),
    "no intercept": (LinearRegression, "y ~ 0 + C(z) + x", lambda f, d: smf.ols(f, d).fit()),
}


@pytest.mark.parametrize("case", CASES)
def test_estimates_errors_and_names_are_statsmodels(frame, case):
    cls, formula, peer = CASES[case]
    theirs = peer(formula, frame.assign(sick=(frame["sick"] == "yes").astype(float)))
    table = cls.from_formula(formula, frame).summary().tables["y0"]
    ours = dict(zip(table.names, zip(table.values, table.standard_errors, strict=True), strict=True))
    names = {name.replace("Intercept", "intercept") for name in theirs.params.index}
    assert set(ours) == names
    for name, value in theirs.params.items():
        np.testing.assert_allclose(
            ours[name.replace("Intercept", "intercept")], (value, theirs.bse[name]), rtol=1e-6, atol=1e-9
        )


def test_exposure_and_offset(frame):
    theirs = smf.glm("count ~ x + z", frame, family=sm.families.Poisson(), exposure=frame["t"]).fit(tol=1e-12)
    model = GLM.from_formula("count ~ x + z", frame, family="poisson", exposure=frame["t"])
    np.testing.assert_allclose(model.summary().tables["y0"].standard_errors[0], theirs.bse["Intercept"], rtol=1e-6)
    known = GLM.from_formula("count ~ x + z", frame, family="poisson", offset=np.log(frame["t"]))
    np.testing.assert_allclose(known.coef_, model.coef_)
    new = frame[["x", "z"]].iloc[:4]
    plain, doubled = (model.predict(new, exposure=e) for e in (1.0, np.full(4, 2.0)))
    np.testing.assert_allclose(doubled, 2.0 * plain)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_predictions_from_raw_columns(frame, make):
    model = LinearRegression.from_formula("y ~ x*z", make(frame))
    dummies = np.column_stack([frame["z"] == "b", frame["z"] == "c"]).astype(float)
    X = np.column_stack([frame["x"], dummies, dummies * frame["x"].to_numpy()[:, None]])
    plain = LinearRegression().fit(X, frame["y"])
    new = make(frame[["z", "x"]].iloc[5:9])
    np.testing.assert_allclose(model.predict(new), plain.predict(X[5:9]), rtol=1e-10)
    np.testing.assert_allclose(model.predict_interval(new), plain.predict_interval(X[5:9]), rtol=1e-8)
    np.testing.assert_allclose(model.predict_dist(new).std, plain.predict_dist(X[5:9]).std, rtol=1e-8)
    np.testing.assert_allclose(model.score(make(frame), frame["y"]), plain.score(X, frame["y"]))


def test_classifiers_take_text(frame):
    model = LogisticRegression.from_formula("sick ~ x + z", frame)
    assert model.classes_.tolist() == ["no", "yes"]
    assert set(model.predict(frame)) == {"no", "yes"}
    assert model.predict_proba(frame).shape == (len(frame), 2)
    assert model.decision_function(frame).shape == (len(frame),)
    assert model.predict_dist(frame).mean.shape == (len(frame), 2)
    several = SoftmaxRegression.from_formula("z ~ x + y", frame, random_state=0)
    assert several.classes_.tolist() == ["a", "b", "c"]
    assert "x" in several.summary().frame()["name"].to_list()


def test_weights_count_rows(frame):
    weights = np.random.default_rng(1).integers(0, 3, len(frame))
    lonely = frame.assign(z=np.where(np.arange(len(frame)) == 0, "rare", frame["z"]))
    weights[0] = 0  # the level of this row is not there
    repeated = lonely.loc[lonely.index.repeat(weights)]
    formula = "count ~ center(x) + z"
    weighted = PoissonRegression.from_formula(formula, lonely, weights, exposure=lonely["t"])
    again = PoissonRegression.from_formula(formula, repeated, exposure=repeated["t"])
    np.testing.assert_allclose(weighted.coefficients_, again.coefficients_, rtol=1e-8)
    with pytest.raises(InputError, match="rare"):
        weighted.predict(lonely)


@pytest.mark.parametrize("case", [case for case in CASES if case != "no intercept"])
def test_a_file_keeps_the_formula(frame, case, tmp_path):
    cls, formula, _ = CASES[case]
    model = cls.from_formula(formula + " + poly(t, 2) + scale(t):center(x)", frame)
    credo.save(model, tmp_path / "model")
    loaded = credo.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(frame.iloc[:5]), model.predict(frame.iloc[:5]))
    assert str(loaded.summary()) == str(model.summary())


def test_fit_forgets_the_formula_and_a_failed_one_does_not(frame):
    model = LinearRegression.from_formula("y ~ x + z", frame)
    with pytest.raises(InputError, match="NaN"):
        model.fit(np.full((3, 2), np.nan), np.ones(3))
    model.predict(frame)
    model.fit_many(np.eye(12)[:, :2] + np.arange(12.0)[:, None], np.arange(12.0), np.ones((2, 12)))
    model.predict(frame)
    model.fit(frame[["x", "t"]].to_numpy(), frame["y"])
    assert model.predict(np.ones((3, 2))).shape == (3,)


def test_settings_and_refusals(frame):
    assert GLM.from_formula("y ~ x", frame, ridge=2.0).ridge == 2.0
    with pytest.raises(InputError, match="formula says it"):
        GLM.from_formula("y ~ x", frame, fit_intercept=True)
    with pytest.raises(TypeError):
        LinearRegression.from_formula("y ~ x", frame, ridge=1.0)
    with pytest.raises(InputError):
        LinearRegression.from_formula("y ~ x", frame, sample_weight=np.ones(3))
    with pytest.raises(InputError, match="no column 'w'"):
        LinearRegression.from_formula("y ~ w", frame)
    with pytest.raises(InputError, match="no frame"):
        LinearRegression.from_formula("y ~ x", frame).predict(frame.to_numpy())
    with pytest.raises(InputError, match="missing"):
        LinearRegression.from_formula("y ~ x", frame.assign(y=np.nan))
    with pytest.raises(InputError):
        LinearRegression.from_formula("z ~ x", frame)
