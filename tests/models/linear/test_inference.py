"""What every model that speaks of its coefficients shares: refusals, rows, hypotheses."""

import inspect

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from credo.errors import InputError, UndefinedError
from credo.models import GLM, LinearRegression, LogisticRegression, PoissonRegression, SoftmaxRegression
from credo.models.linear.inference import SpeaksOfCoefficients

X, Y = load_diabetes(return_X_y=True)
COUNTS = np.round(Y / 50.0)
HIGH = (Y > 140).astype(int)
FITTED = {
    "least squares": LinearRegression().fit(X, Y),
    "glm": GLM(family="poisson").fit(X, COUNTS),
    "counts": PoissonRegression().fit(X, COUNTS),
    "logistic": LogisticRegression().fit(X, HIGH),
}


@pytest.mark.parametrize("name", FITTED)
def test_every_table_has_a_row_a_coefficient_and_prints(name):
    model = FITTED[name]
    for kind in ("classical", "HC0", "HC3"):
        summary = model.summary(covariance=kind)
        assert len(summary.frame()) == 11
        assert type(model).__name__ in str(summary)
    assert "clustered" in str(model.summary(groups=np.arange(len(Y)) % 20))


@pytest.mark.parametrize("name", FITTED)
def test_a_single_hypothesis_is_the_row_of_the_table(name):
    model = FITTED[name]
    hypothesis = np.eye(11)[3]
    table = next(iter(model.estimates().values()))
    np.testing.assert_allclose(model.wald_test(hypothesis).p_value, table.p_values[3], rtol=1e-8)


def test_one_summary_serves_all_but_for_the_correction_of_logistic_regression():
    for cls in (LinearRegression, GLM, SoftmaxRegression):
        assert inspect.getattr_static(cls, "summary") is SpeaksOfCoefficients.__dict__["summary"]
    assert str(FITTED["logistic"].summary()) == str(SpeaksOfCoefficients.summary(FITTED["logistic"]))


def test_wrong_questions():
    with pytest.raises(InputError, match="kind is 'HC7'"):
        FITTED["glm"].summary(covariance="HC7")
    with pytest.raises(InputError, match="5 labels"):
        FITTED["glm"].summary(groups=np.arange(5))
    several = SoftmaxRegression().fit(X, np.digitize(Y, [100, 180]))
    with pytest.raises(UndefinedError, match="robust"):
        several.summary(covariance="HC0")
    with pytest.raises(UndefinedError, match="2 outputs"):
        several.wald_test(np.eye(11))
