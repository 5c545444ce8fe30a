import warnings

import numpy as np
import pandas as pd
import patsy
import polars as pl
import pytest

import credo
from credo.errors import InputError
from credo.represent import FormulaDesign, formula_rows


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "y": rng.uniform(1.0, 2.0, 40),
            "x": rng.normal(size=40),
            "u v": rng.uniform(1.0, 3.0, 40),
            "z": rng.choice(["a", "b", "c"], 40),
            "n": rng.integers(1, 4, 40),
            "flag": rng.uniform(size=40) < 0.5,
        }
    )


@pytest.mark.parametrize(
    ("formula", "patsys"),
    [
        ("y ~ x + C(z)", None),
        ("y ~ x*z + C(n)", None),
        ("y ~ 0 + z + x:z", None),
        ("y ~ C(z, Treatment('b')) + I(x**2)", None),
        ("y ~ C(z, Sum)", None),
        ("y ~ C(z, levels=['c', 'a', 'b'])", None),
        ("y ~ C(n):z + x", None),
        ("y ~ center(x) + scale(x, ddof=0)", "y ~ center(x) + scale(x)"),
        ("y ~ log(`u v`) + bs(x, df=5)", "y ~ np.log(Q('u v')) + bs(x, df=5)"),
    ],
)
def test_columns_are_patsys(frame, formula, patsys):
    """The order of columns is that of formulaic, interactions behind their parts, so that columns are matched."""
    rows = formula_rows(formula, frame, np.ones(40))
    theirs = np.asarray(patsy.dmatrix((patsys or formula).partition("~")[2], frame))
    theirs = theirs[:, 1:] if rows.design.intercept else theirs
    assert theirs.shape == rows.table.shape
    distance = np.max(np.abs(rows.table.to_numpy()[:, :, None] - theirs[:, None, :]), axis=0)
    assert np.all(np.min(distance, axis=0) < 1e-12)
    assert np.all(np.min(distance, axis=1) < 1e-12)


def test_names_and_intercept(frame):
    rows = formula_rows("y ~ x*C(z) + flag", frame, np.ones(40))
    names = ("x", "C(z)[T.b]", "C(z)[T.c]", "flag", "x:C(z)[T.b]", "x:C(z)[T.c]")
    assert rows.design.names == names == tuple(rows.table.columns)
    assert rows.design.intercept
    for without in ("y ~ 0 + x", "y ~ x - 1", "y ~ -1 + x"):
        assert not formula_rows(without, frame, np.ones(40)).design.intercept


LEARNING = "y ~ center(x) + scale(`u v`) + poly(x, 3):z + bs(`u v`, df=5) + C(n) + n"


def test_a_design_from_a_file_makes_the_same_columns(frame, tmp_path):
    rows = formula_rows(LEARNING, frame, np.ones(40))
    credo.save(rows.design, tmp_path / "design")
    loaded = credo.load(tmp_path / "design")
    assert loaded == rows.design
    for few in (frame.iloc[:3], frame.iloc[[7]]):
        np.testing.assert_array_equal(loaded.table(few), rows.table.loc[few.index])
    np.testing.assert_array_equal(loaded.table(pl.from_pandas(frame)), rows.table)


def test_learning_functions_count_rows(frame):
    rng = np.random.default_rng(1)
    weights = rng.integers(1, 4, 40).astype(float)
    twice = frame.loc[frame.index.repeat(weights.astype(int))]
    weighted, repeated = formula_rows(LEARNING, frame, weights), formula_rows(LEARNING, twice, np.ones(len(twice)))
    np.testing.assert_allclose(weighted.table.loc[twice.index], repeated.table, rtol=1e-10, atol=1e-12)
    with pytest.raises(InputError, match="whole numbers"):
        formula_rows("y ~ center(x)", frame, weights + 0.5)
    assert formula_rows("y ~ x", frame, weights + 0.5).table.shape == (40, 1)


def test_responses(frame):
    np.testing.assert_array_equal(formula_rows("log(y) ~ x", frame, np.ones(40)).response, np.log(frame["y"]))
    assert formula_rows("z ~ x", frame, np.ones(40)).response.tolist() == frame["z"].tolist()
    assert formula_rows("n ~ x", frame, np.ones(40)).response.dtype.kind == "i"
    for several in ("y + x ~ z", "C(z) ~ x", "poly(y, 2) ~ x", "y:x ~ z"):
        with pytest.raises(InputError, match="one column"):
            formula_rows(several, frame, np.ones(40))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda f: f.assign(z="d"), "level 'd'.*'a', 'b', 'c'"),
        (lambda f: f.assign(n=9), "level 9"),
        (lambda f: f.drop(columns="x"), "no column 'x'"),
        (lambda f: f.assign(x=np.nan), "missing"),
        (lambda f: f.assign(z=None), "column 'z'"),
        (lambda f: f.assign(z=1.0), "column 'z' holds numbers"),
        (lambda f: f.assign(x="a"), "column 'x' holds text"),
        (lambda f: f.assign(x=100.0), "beyond"),
        (lambda f: f.to_numpy(), "no frame"),
    ],
)
def test_new_frames_that_do_not_fit(frame, change, says):
    design = formula_rows("y ~ bs(x, df=4) + z + C(n)", frame, np.ones(40)).design
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match=says):
            design.table(change(frame))


def test_numbers_as_categories_are_told_by_value(frame):
    design = formula_rows("y ~ C(n)", frame, np.ones(40)).design
    assert design.names == ("C(n)[T.2]", "C(n)[T.3]")
    np.testing.assert_array_equal(design.table(frame.assign(n=frame["n"].astype(float))), design.table(frame))


@pytest.mark.parametrize(
    "formula", ["y ~ log(x)", "y ~ I(1/(x - x))", "y ~ log(z)", "y ~ 1", "y ~ 0", "z + 1 ~ x", "y ~ ().__class__"]
)
def test_formulas_that_do_not_evaluate(frame, formula):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError):
            formula_rows(formula, frame, np.ones(40))


def test_a_column_called_as_a_function_is_not_called(frame):
    with pytest.raises(InputError):
        formula_rows("y ~ log(x) + log", frame.assign(log=1.0), np.ones(40))


@pytest.mark.parametrize(
    "damage",
    [
        {"state": {"poly(x, 2)": {"alpha": "text", "norms2": {}}}},
        {"state": {"poly(x, 2)": {"alpha": {"0": 1.0}, "norms2": {"0": None}}}},
        {"levels": {"z": [["a"], "b"]}},
        {"levels": {"nothing": ["a"]}, "names": ("other",)},
        {"kinds": {}},
    ],
)
def test_damaged_designs_refuse(frame, damage):
    """What a stranger's file may hold: it ends in an error of credo's, or in columns."""
    good = formula_rows("y ~ poly(x, 2) + z", frame, np.ones(40)).design
    bad = FormulaDesign(**({name: getattr(good, name) for name in good.__dataclass_fields__} | damage))
    with pytest.raises(InputError):
        bad.table(frame)
