"""Every law of the design on every estimator of the registry."""

import inspect
import pickle

import equinox as eqx
import jax
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_param_validation,
    parametrize_with_checks,
)
from sklearn.utils.validation import check_is_fitted

import credo
import credo.models
from contract import KIN, answers, every, labels, made, quick
from credo.beliefs import Belief
from credo.errors import CredoError, InputError, PrecisionError
from credo.models import ESTIMATORS, Estimator, Probabilistic, Regressor, Replicated
from credo.numerics import Certificate, enable_float64

every_estimator, every_regressor, every_replicated = every(Estimator), every(Regressor), every(Replicated)
every_believer, every_weighted = every(Probabilistic), every(Estimator, weighted=True)


# Some checks have classes that a column tells apart, of which models without a penalty rightly warn.
# Others, and the table below, have classes that no plane tells apart, of which a perceptron rightly warns.
# Targets of some checks are fractions, of which a model of counts rightly warns.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*separated by a plane.*:credo.errors.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*targets are not whole numbers.*:credo.errors.CredoWarning"),
]
separated = pytest.mark.filterwarnings("ignore:.*separation.*:credo.errors.ConvergenceWarning")


@separated
@parametrize_with_checks([quick(cls) for cls in ESTIMATORS if cls.__name__ not in KIN])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [cls() for cls in ESTIMATORS if cls.__name__ in KIN or cls().get_params() != quick(cls).get_params()]
)
def test_scikit_learn_contract_as_it_comes(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    return X, X @ [1.0, -2.0, 0.5] + rng.normal(size=40)


def test_every_public_estimator_is_registered():
    public = {getattr(credo.models, name) for name in credo.models.__all__}
    concrete = {c for c in public if inspect.isclass(c) and issubclass(c, Estimator) and not inspect.isabstract(c)}
    assert concrete == set(ESTIMATORS)


@every_estimator
def test_constructor_is_keyword_only_and_only_stores(cls):
    parameters = list(inspect.signature(cls).parameters.values())
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in parameters)
    assert cls().get_params() == {p.name: p.default for p in parameters}


@separated
@every_estimator
def test_feature_names(cls):
    check_dataframe_column_names_consistency(cls.__name__, cls())


@every_estimator
@pytest.mark.parametrize(
    "frame", [pd.DataFrame, lambda d: pl.DataFrame(d), lambda d: pa.table(d)], ids=["pandas", "polars", "pyarrow"]
)
def test_frames_equal_arrays(cls, frame, table):
    X, y = table
    columns = {name: X[:, i] for i, name in enumerate("abc")}
    y = labels(cls, y)
    learned = made(cls).fit(frame(columns), y)
    assert list(learned.feature_names_in_) == ["a", "b", "c"]
    np.testing.assert_array_equal(learned.predict(frame(columns)), made(cls).fit(X, y).predict(X))


@every_estimator
def test_lists_go_in(cls, table):
    X, y = table
    y = labels(cls, y)
    np.testing.assert_array_equal(
        made(cls).fit(X.tolist(), y.tolist()).predict(X.tolist()), made(cls).fit(X, y).predict(X)
    )


@every_estimator
@pytest.mark.parametrize("made_sparse", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_rows_equal_dense_ones_or_are_refused(cls, made_sparse, table):
    X, y = table
    X, y = np.where(np.abs(X) > 0.7, X, 0.0), labels(cls, y)
    learned = made(cls).fit(X, y)
    if not cls().__sklearn_tags__().input_tags.sparse:
        for method in (lambda rows: made(cls).fit(rows, y), learned.predict):
            with pytest.raises(InputError, match=rf"^{cls.__name__}: .*dense data is required.*toarray\(\)"):
                method(made_sparse(X))
        return
    thin = made(cls).fit(made_sparse(X), y)
    np.testing.assert_allclose(answers(thin, made_sparse(X)), answers(learned, X), rtol=1e-10)


@every_estimator
def test_set_output_in_a_pipeline(cls, table):
    X, y = table
    y = labels(cls, y)
    frame = pd.DataFrame(X, columns=list("abc"))
    pipeline = make_pipeline(StandardScaler(), made(cls)).set_output(transform="pandas").fit(frame, y)
    assert list(pipeline[-1].feature_names_in_) == ["a", "b", "c"]
    assert len(pipeline.predict(frame)) == len(y)


@every_estimator
def test_every_parameter_is_validated(cls, table):
    X, y = table
    y = labels(cls, y)
    assert set(cls._parameter_constraints) == set(cls().get_params())
    check_param_validation(cls.__name__, made(cls))
    for name in cls().get_params():
        with pytest.raises(InputError, match=name):
            cls(**{name: object()}).fit(X, y)


@separated
@every_estimator
def test_grid_search(cls, table):
    X, y = table
    grid = {name: [value] for name, value in list(cls().get_params().items())[:1]}
    search = GridSearchCV(made(cls), grid, cv=2).fit(X, labels(cls, y))
    assert np.isfinite(search.best_score_)


@every_weighted
def test_weights_are_frequencies(cls, table):
    X, y = table
    y = labels(cls, y)
    w = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = made(cls).fit(X, y, sample_weight=w)
    repeated = made(cls).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(answers(weighted, X), answers(repeated, X), rtol=1e-6)


@every_believer
def test_belief_has_a_budget_that_adds_up(cls, table):
    X, y = table
    belief = made(cls).fit(X, labels(cls, y)).predict_dist(X)
    assert isinstance(belief, Belief)
    assert belief.batch_shape == (len(y),)
    if belief.budget.is_split:
        np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-9)
        parts = (belief.budget.noise, belief.budget.parameter, belief.budget.computation)
        assert all(np.all(np.asarray(part) >= 0) for part in parts)
    else:
        assert belief.budget.reason


@every_estimator
def test_fit_sets_a_certificate(cls, table):
    X, y = table
    assert isinstance(made(cls).fit(X, labels(cls, y)).certificate_, Certificate)


@every_regressor
def test_predict_is_the_mean_and_intervals_nest(cls, table):
    X, y = table
    learned = made(cls).fit(X, labels(cls, y))
    np.testing.assert_allclose(learned.predict(X), learned.predict_dist(X).mean, rtol=1e-12, atol=1e-13)
    low, high = learned.predict_interval(X, level=0.9)
    inner_low, inner_high = learned.predict_interval(X, level=0.5)
    assert np.all((low <= inner_low) & (inner_low <= inner_high) & (inner_high <= high))
    counts = np.all(low % 1.0 == 0.0)  # which may share an end
    assert counts or np.all((low < inner_low) & (inner_high < high))
    with pytest.raises(InputError, match="level"):
        learned.predict_interval(X, level=90)


@every_replicated
def test_fit_many_equals_a_loop_of_fits(cls, table):
    X, y = table
    y = labels(cls, y)
    W = np.random.default_rng(2).multinomial(len(y), np.full(len(y), 1 / len(y)), size=5)
    estimator = made(cls)
    many = estimator.fit_many(X, y, W)
    assert isinstance(many, eqx.Module)
    assert all(leaf.shape[0] == 5 for leaf in jax.tree.leaves(many) if np.ndim(leaf))  # so that some can be taken
    belief = many.predict_dist(X)
    assert belief.batch_shape == (5, len(y))
    for b in range(5):
        one = made(cls).fit(X, y, sample_weight=W[b]).predict_dist(X)
        np.testing.assert_allclose(belief.mean[b], one.mean, rtol=1e-8)
        np.testing.assert_allclose(belief.variance[b], one.variance, rtol=1e-8)
    with pytest.raises(Exception, match="not fitted"):
        check_is_fitted(estimator)


@every_replicated
def test_fit_many_refuses_weights_of_another_shape(cls, table):
    X, y = table
    with pytest.raises(InputError, match="W has shape"):
        made(cls).fit_many(X, labels(cls, y), np.ones((3, len(y) + 1)))
    with pytest.raises(InputError, match="zero"):
        made(cls).fit_many(X, labels(cls, y), np.zeros((2, len(y))))


@every_estimator
def test_save_and_load(cls, table, tmp_path):
    X, y = table
    learned = made(cls).fit(pd.DataFrame(X, columns=list("abc")), labels(cls, y))
    credo.save(learned, tmp_path / "model.credo")
    again = credo.load(tmp_path / "model.credo")
    frame = pd.DataFrame(X, columns=list("abc"))
    np.testing.assert_array_equal(again.predict(frame), learned.predict(frame))
    np.testing.assert_array_equal(answers(again, frame), answers(learned, frame))
    assert again.certificate_ == learned.certificate_
    assert clone(again).get_params() == learned.get_params()


@every_estimator
def test_pickle(cls, table):
    X, y = table
    learned = made(cls).fit(X, labels(cls, y))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(learned)).predict(X), learned.predict(X))


BAD_ROWS = {
    "nan": lambda X, y: (np.where(X > 1, np.nan, X), y),
    "infinity": lambda X, y: (np.where(X > 1, np.inf, X), y),
    "empty": lambda X, y: (X[:0], y[:0]),
    "no columns": lambda X, y: (X[:, :0], y),
    "one axis": lambda X, y: (X[:, 0], y),
    "other length": lambda X, y: (X, y[:-1]),
    "text": lambda X, y: (X.astype(str).astype(object) + "a", y),
    "complex": lambda X, y: (X + 1j, y),
}


@every_estimator
@pytest.mark.parametrize("bad", BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_bad_input_is_named_and_a_failed_fit_changes_nothing(cls, bad, table):
    X, y = table
    y = labels(cls, y)
    learned = made(cls).fit(X, y)
    before = dict(vars(learned))
    with pytest.raises(InputError) as failure:
        learned.fit(*bad(X, y))
    assert str(failure.value).startswith(f"{cls.__name__}: ")
    assert vars(learned).keys() == before.keys()
    assert all(vars(learned)[name] is value for name, value in before.items())


@every_weighted
@pytest.mark.parametrize(
    "weights", [-np.ones(40), np.full(40, np.nan), np.ones(39), np.zeros(40)], ids=["negative", "nan", "short", "zero"]
)
def test_bad_weights_are_named(cls, weights, table):
    X, y = table
    with pytest.raises(InputError):
        made(cls).fit(X, labels(cls, y), sample_weight=weights)


@every_estimator
def test_other_columns_are_refused(cls, table):
    X, y = table
    with pytest.raises(InputError, match="features"):
        made(cls).fit(X, labels(cls, y)).predict(X[:, :2])


@every_estimator
def test_32_bit_mode_is_refused(cls, table):
    import jax

    X, y = table
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(PrecisionError, match="32 bit"):
            made(cls).fit(X, labels(cls, y))
    finally:
        enable_float64()


@every_estimator
def test_one_more_row_compiles_nothing(cls, table):
    """Growing by a row inside a padding bucket reuses the compiled engine."""
    import jax

    X, y = table
    y = labels(cls, y)
    made(cls).fit(X[:33], y[:33])
    compiled = []
    listener = lambda event, duration, **_: compiled.append(event) if "backend_compile" in event else None  # noqa: E731
    jax.monitoring.register_event_duration_secs_listener(listener)
    try:
        made(cls).fit(X[:34], y[:34])
    finally:
        jax.monitoring.unregister_event_duration_listener(listener)
    assert not compiled


def test_all_errors_are_credos():
    assert issubclass(InputError, CredoError)
    assert issubclass(InputError, ValueError)
