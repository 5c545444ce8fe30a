"""Lines are the slopes, rules the choices."""

import numpy as np
import pytest

from chart_specs import table_with
from credo.errors import InputError
from credo.infer.ridge import ridge_path, ridge_spectrum
from credo.models import Lasso, Ridge
from credo.plots import path_chart, plot

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 9))
Y = X @ [3.0, -2.0, 1.0, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0] + RNG.normal(size=40)


def test_lines_are_the_slopes():
    path = Lasso().path(X, Y, n_alphas=15)
    table = table_with(plot(path, list("abcdefghi")), "slope")
    mine = [value for value, column in zip(table["slope"], table["column"], strict=True) if column == "a"]
    np.testing.assert_allclose(mine, path.path.coefficients[:, 0])
    assert "others" in table["group"]
    rules = table_with(plot(path), "choice")
    assert list(rules["choice"]) == ["cv", "1se", "aic", "bic"]
    np.testing.assert_allclose(rules["penalty"][0], path.path.penalties[path.best("cv")])


def test_a_ridge_path_has_its_own_choices():
    path = Ridge().path(X, Y, n_alphas=15)
    assert list(table_with(path_chart(path), "choice")["choice"]) == ["loo", "gcv", "aic", "bic"]


def test_bad_input():
    with pytest.raises(InputError, match="2 names for 9"):
        path_chart(Ridge().path(X, Y), ["a", "b"])
    spectrum = ridge_spectrum(X, np.column_stack([Y, Y]), np.ones(40), intercept=True)
    with pytest.raises(InputError, match="2 outputs"):
        path_chart(ridge_path(spectrum, np.ones(2)))
