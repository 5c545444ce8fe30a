"""Laws about units: what does not depend on them, and what is refused because no number holds its square."""

import numpy as np
import pytest
from scipy import optimize, sparse

from credo.errors import InputError
from credo.models import (
    BayesianLinearRegression,
    Bridge,
    ElasticNet,
    KernelRidge,
    Lasso,
    LinearRegression,
    LocallyWeightedRegression,
    Ridge,
)

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(40, 3)), RNG.normal(size=(5, 3))
Y = 1.0 + X @ [1.0, -2.0, 0.1] + 0.3 * RNG.normal(size=40)
MIXED = np.array([1e-100, 1.0, 1e100])

# Common units do not matter to any of these, those of single columns to the first ones neither.
ANY_UNIT = [LinearRegression(), BayesianLinearRegression(), LocallyWeightedRegression()]
COMMON_UNIT = [*ANY_UNIT, Ridge(), Lasso(), KernelRidge(), *(Bridge(q=q) for q in (0.5, 1.5, 3.0))]
SQUARES = [LinearRegression(), BayesianLinearRegression(), Ridge(), Lasso(), ElasticNet(), Bridge(), KernelRidge()]


def answers(model, rows, new, y=Y):
    fitted = model.fit(rows, y)
    return np.stack([fitted.predict(new), *fitted.predict_interval(new)])


@pytest.mark.parametrize("model", COMMON_UNIT, ids=str)
@pytest.mark.parametrize("unit", [1e-100, 1e-6, 1e6, 1e100])
def test_a_common_unit_of_all_columns_changes_nothing(model, unit):
    np.testing.assert_allclose(answers(model, unit * X, unit * NEW), answers(model, X, NEW), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("model", ANY_UNIT, ids=str)
def test_the_unit_of_one_column_changes_nothing(model):
    np.testing.assert_allclose(answers(model, MIXED * X, MIXED * NEW), answers(model, X, NEW), rtol=1e-9)


@pytest.mark.parametrize("model", [*COMMON_UNIT, ElasticNet()], ids=str)
def test_a_shift_of_a_million_standard_deviations_changes_nothing(model):
    np.testing.assert_allclose(answers(model, X + 1e6, NEW + 1e6), answers(model, X, NEW), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("model", SQUARES, ids=str)
@pytest.mark.parametrize("unit", [1e-160, 1e160])
def test_columns_whose_squares_vanish_or_overflow_are_refused(model, unit):
    """They were learned as if they were constant, or ended in an error about something else."""
    rows = X * [1.0, unit, 1.0]
    with pytest.raises(InputError, match="column 1 ranges from"):
        model.fit(rows, Y)
    if isinstance(model, Lasso):
        with pytest.raises(InputError, match="column 1 ranges from"):
            model.fit(sparse.csr_array(rows), Y)


@pytest.mark.parametrize("unit", [1e-160, 1e150])
def test_local_regression_takes_units_whose_squares_vanish(unit):
    model = LocallyWeightedRegression()
    np.testing.assert_allclose(answers(model, unit * X, unit * NEW), answers(model, X, NEW), rtol=1e-9)


@pytest.mark.parametrize("q", [0.5, 1.5, 3.0])
def test_bridge_is_the_minimum_of_its_objective_in_small_units(q):
    """With columns times 1e-6 no slope was found at all."""
    unit, penalty = 1e-6, 0.05
    model = Bridge(q=q, alpha=penalty * unit**q).fit(unit * X, Y)

    def objective(slopes):
        residuals = (Y - Y.mean()) - (X - X.mean(axis=0)) @ slopes
        return np.mean(residuals**2) / 2.0 + penalty * np.sum(np.abs(slopes) ** q)

    starts = [np.array([a, b, c]) for a in (0.5, 1.0) for b in (-2.0, -1.0) for c in (0.0, 0.1)]
    lowest = min(optimize.minimize(objective, start, method="Powell", tol=1e-12).fun for start in starts)
    assert objective(unit * model.coef_) <= lowest * (1.0 + 1e-7)


@pytest.mark.parametrize("unit", [1e-100, 1e-6, 1e6, 1e100])
def test_the_path_of_an_elastic_net_reaches_down_to_least_squares_in_any_unit(unit):
    """In small units the ridge outweighed all columns at every point of it, and slopes were zero."""
    plain = LinearRegression().fit(X, Y).predict(NEW)
    scale = np.std(Y)
    assert np.max(np.abs(ElasticNet().fit(unit * X, Y).predict(unit * NEW) - plain)) < 0.1 * scale
    model = ElasticNet(alpha=0.05 * unit, l1_ratio=0.5).fit(unit * X, Y)

    def objective(slopes):  # in units of the columns as they came
        residuals = (Y - Y.mean()) - (X - X.mean(axis=0)) @ slopes
        ridge = 0.25 * 0.05 / unit * np.sum(slopes**2)
        return np.mean(residuals**2) / 2.0 + 0.5 * 0.05 * np.sum(np.abs(slopes)) + ridge

    best = objective(unit * model.coef_)
    for step in 1e-3 * np.concatenate([np.eye(3), -np.eye(3)]):
        assert objective(unit * model.coef_ + step * (1.0 if unit >= 1.0 else unit)) >= best
