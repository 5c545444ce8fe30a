"""Basis functions against their formulas and scikit-learn; the contract of a transformer."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_param_validation,
    check_set_output_transform_pandas,
    check_set_output_transform_polars,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
    parametrize_with_checks,
)

import credo
from credo.errors import InputError
from credo.models import LinearRegression
from credo.represent import Basis, GaussianBasis, PolynomialBasis, SigmoidalBasis

BASES = (GaussianBasis, PolynomialBasis, SigmoidalBasis)
every_basis = pytest.mark.parametrize("cls", BASES, ids=lambda cls: cls.__name__)
X = np.random.default_rng(0).normal(size=(30, 3))


@parametrize_with_checks([*(cls() for cls in BASES), PolynomialBasis(interactions=False, bias=True)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@every_basis
@pytest.mark.filterwarnings("ignore:X .*feature names")  # which the checks of set_output mix
@pytest.mark.parametrize(
    "check",
    [
        check_dataframe_column_names_consistency,
        check_param_validation,
        check_set_output_transform_pandas,
        check_set_output_transform_polars,
        check_transformer_get_feature_names_out,
        check_transformer_get_feature_names_out_pandas,
    ],
    ids=lambda check: check.__name__,
)
def test_what_the_contract_leaves_out(cls, check):
    check(cls.__name__, cls())


@every_basis
def test_constructor_is_keyword_only_and_every_parameter_is_validated(cls):
    parameters = inspect.signature(cls).parameters.values()
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters)
    assert set(cls._parameter_constraints) == {p.name for p in parameters}
    for p in parameters:
        with pytest.raises(InputError, match=rf"{cls.__name__}: .*{p.name}"):
            cls(**{p.name: object()}).fit(X)


@every_basis
def test_clone_pickle_and_file(cls, tmp_path):
    basis = cls().fit(pd.DataFrame(X, columns=list("abc")))
    frame = pd.DataFrame(X[:4], columns=list("abc"))
    credo.save(basis, tmp_path / "basis.credo")
    again = credo.load(tmp_path / "basis.credo")
    np.testing.assert_array_equal(again.transform(frame), basis.transform(frame))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(basis)).transform(frame), basis.transform(frame))
    assert clone(again).get_params() == basis.get_params()
    assert again.certificate_ == basis.certificate_


@pytest.mark.parametrize("bias", [True, False])
def test_polynomial_is_scikit_learns(bias):
    peer = PolynomialFeatures(degree=3, include_bias=bias).fit(X)
    basis = PolynomialBasis(degree=3, bias=bias).fit(X)
    np.testing.assert_allclose(basis.transform(X), peer.transform(X))
    assert list(basis.get_feature_names_out()) == list(peer.get_feature_names_out())


def test_polynomial_without_interactions_has_powers_only():
    basis = PolynomialBasis(degree=3, interactions=False, bias=True).set_output(transform="pandas").fit(X[:, :2])
    columns = basis.transform(X[:, :2])
    assert list(columns) == ["1", "x0", "x1", "x0^2", "x1^2", "x0^3", "x1^3"]
    np.testing.assert_allclose(columns["x1^3"], X[:, 1] ** 3)
    np.testing.assert_array_equal(columns["1"], 1.0)


def test_gaussian_and_sigmoidal_are_their_formulas():
    columns = {c: (X[:, c // 4], np.quantile(X[:, c // 4], (c % 4) / 3.0)) for c in range(12)}
    gaussian, sigmoid = GaussianBasis(n_centers=4).fit(X), SigmoidalBasis(n_centers=4, scale=0.7).fit(X)
    width = np.repeat(np.ptp(X, axis=0) / 3.0, 4)
    for c, (x, center) in columns.items():
        np.testing.assert_allclose(gaussian.transform(X)[:, c], np.exp(-((x - center) ** 2) / (2 * width[c] ** 2)))
        np.testing.assert_allclose(sigmoid.transform(X)[:, c], 1 / (1 + np.exp(-(x - center) / 0.7)))
    assert gaussian.get_feature_names_out()[4] == "x1_gaussian0"
    assert sigmoid.get_feature_names_out(["u", "v", "w"])[-1] == "w_sigmoid3"


def test_one_center_is_the_median_and_repeated_rows_move_nothing():
    assert GaussianBasis(n_centers=1).fit(X).centers_[0, 0] == pytest.approx(np.median(X[:, 0]))
    repeated = np.repeat(X, np.arange(1, 31), axis=0)
    np.testing.assert_array_equal(SigmoidalBasis().fit(repeated).centers_, SigmoidalBasis().fit(X).centers_)


@pytest.mark.parametrize("cls", [GaussianBasis, SigmoidalBasis])
def test_constant_column_and_far_query_are_finite(cls):
    basis = cls().fit(np.ones((5, 1)))
    assert "constant columns" in str(basis.certificate_)
    assert np.all(np.isfinite(basis.transform([[1.0], [1e300], [-1e300]])))


def test_overflow_is_named():
    with pytest.raises(InputError, match="PolynomialBasis: a function of X overflows"):
        PolynomialBasis().fit(X).transform(1e200 * X)


def test_failed_fit_changes_nothing():
    basis = GaussianBasis().fit(X)
    before = dict(vars(basis))
    with pytest.raises(InputError, match=r"GaussianBasis: .*NaN"):
        basis.fit(np.full((3, 2), np.nan))
    assert vars(basis).keys() == before.keys()
    assert all(vars(basis)[name] is value for name, value in before.items())


def test_a_line_on_a_basis_follows_a_curve():
    x = np.linspace(0.0, 6.0, 60)[:, None]
    for basis in (GaussianBasis(), SigmoidalBasis(), PolynomialBasis(degree=7)):
        model = make_pipeline(basis, LinearRegression()).fit(x, np.sin(x[:, 0]))
        np.testing.assert_allclose(model.predict(x), np.sin(x[:, 0]), atol=0.03)


def test_the_base_is_abstract():
    assert inspect.isabstract(Basis)
