import numpy as np
import pytest

from credo.errors import InputError
from credo.represent.formula_grammar import ELEMENTWISE, parsed_formula

EVIL = "__import__('pathlib').Path('{path}').touch()"


@pytest.mark.parametrize(
    ("formula", "columns", "coded", "learns"),
    [
        ("y ~ x", {"x"}, {}, False),
        ("log(y) ~ x*z - x:z + 0", {"x", "z"}, {}, False),
        ("y ~ (a + b + c)**2 - 1", {"a", "b", "c"}, {}, False),
        ("y ~ (a + b)^2 + a/b", {"a", "b"}, {}, False),
        ("y ~ `two words` + I(`two words`**2 / 3)", {"two words"}, {}, False),
        ("y ~ {x + 1} + sqrt(abs(-x))", {"x"}, {}, False),
        ("y ~ C(z, Treatment('it''s'))", {"z"}, {"C(z, Treatment('its'))": "z"}, False),
        ("y ~ C(z, Treatment(reference=2)):x", {"x", "z"}, {"C(z, Treatment(reference=2))": "z"}, False),
        ("y ~ C(`my z`, Sum, levels=['b', 'a'])", {"my z"}, {"C(`my z`, Sum, levels=['b', 'a'])": "my z"}, False),
        ("y ~ poly(x, 3) + bs(log(u), df=5, extrapolation='clip')", {"x", "u"}, {}, True),
        ("y ~ bs(x, knots=[0.5, 1.5], lower_bound=0, upper_bound=2000)", {"x"}, {}, True),
        ("y ~ center(x) + scale(x, ddof=0)", {"x"}, {}, True),
    ],
)
def test_what_a_formula_says(formula, columns, coded, learns):
    _, terms = parsed_formula(formula, "me")
    assert (set(terms.columns), terms.coded, terms.learns) == (columns, coded, learns)


@pytest.mark.parametrize(
    "part",
    [
        EVIL,
        "I({evil})",
        "{{{evil}}}",
        "I(x + {evil})",
        "log({evil})",
        "center({evil})",
        "center(x, {evil})",
        "scale(x, ddof={evil})",
        "center(x, **{evil})",
        "center(x, *{evil})",
        "C({evil})",
        "C(z, {evil})",
        "C(z, {evil}, contrasts=Sum)",
        "C(z, contrasts={evil})",
        "C(z, levels={evil})",
        "C(z, levels=[{evil}])",
        "C(z, Treatment({evil}))",
        "C(z, Treatment('b', other={evil}))",
        "C(z, Treatment('b', **{evil}))",
        "C(z, Sum({evil}))",
        "bs(x, df=5, knots=[{evil}])",
        "poly(x, 2, {evil})",
        "I(x ** {evil})",
        "I([{evil} for i in [1]])",
        "I((lambda: {evil})())",
        "I(x if {evil} else x)",
        "I(x < {evil})",
        "I(({evil}, x))",
        "x[{evil}]",
        "I(x)({evil})",
        "log(x).__class__.__init__.__globals__[{evil}]",
        "bs(x, extrapolation='a' + {evil})",
    ],
)
def test_no_part_runs_code(part, tmp_path):
    """Each of these would leave a file behind if Python saw it: neither reading nor evaluating it does."""
    from credo.represent.formula import FormulaDesign, formula_rows

    trace = tmp_path / "trace"
    evil = EVIL.format(path=trace)
    formula = "y ~ x + " + (part.format(evil=evil, path=trace) if part != EVIL else evil)
    import pandas as pd

    frame = pd.DataFrame({"y": [1.0, 2.0, 3.0], "x": [1.0, 2.0, 4.0], "z": ["a", "b", "a"]})
    with pytest.raises(InputError):
        formula_rows(formula, frame, np.ones(3))
    design = FormulaDesign(formula, {"x": "number"}, {}, {}, ("x",), True)  # as a file from a stranger would bring it
    with pytest.raises(InputError):
        design.table(frame)
    assert not trace.exists()


def test_the_trace_would_be_seen(tmp_path):
    eval(EVIL.format(path=tmp_path / "trace"))
    assert (tmp_path / "trace").exists()


@pytest.mark.parametrize(
    ("formula", "named"),
    [
        ("y ~ {().__class__}", "__class__"),
        ("y ~ np.log(x)", "np.log"),
        ("y ~ eval('1')", "eval"),
        ("y ~ exec(x)", "exec"),
        ("y ~ getattr(x, 'a')", "getattr"),
        ("y ~ Q('x')", "Q"),
        ("y ~ hashed(z)", "hashed"),
        ("y ~ lag(x)", "lag"),
        ("y ~ C(z, contr.sum)", "contr"),
        ("y ~ I(C(z))", "C(z)"),
        ("y ~ x | z", "|"),
        ("y ~ a %in% b", "in"),
        ("y ~ .", "."),
        ("y ~ 5 + x", "5"),
        ("y ~ x + 'text'", "text"),
        ("y ~ [x]", "["),
        ("y ~ I(3)", "I(3)"),
        ("y ~ I(9**9**9)", "9 ** 9"),
        ("y ~ I(x**1000)", "1000"),
        ("y ~ I(x, _state=1)", "_state"),
        ("y ~ center(x, _state=1)", "_state"),
        ("y ~ poly(x, 100000000)", "100000000"),
        ("y ~ bs(x, df=x)", "df=x"),
        ("y ~ I(x := 3)", ":="),
        ("y ~ {x and 1}", "and"),
        ("y ~ {x @ x}", "@"),
        ("y ~ {x // 2}", "//"),
        ("y ~ I(True)", "True"),
        ("y ~ I(b'x')", "b'x'"),
        ("y ~ I(1j * x)", "1j"),
        ("y ~ (a+b+c+d)**7", "7"),
        ("y ~ ((a+b+c+d+e+f+g+h)**6)**6", "a+b"),
        ("y ~ " + "*".join("abcdefghijklmnopqrstuvwxyz"), "a*b"),
        ("y ~ " + ":".join(["(a+b)"] * 20), "(a+b)"),
        ("y ~ center(`a b`) + a_b", "`a b`"),
    ],
)
def test_a_refusal_names_the_part(formula, named):
    with pytest.raises(InputError, match="the formula has") as refused:
        parsed_formula(formula, "me")
    assert named in str(refused.value).split(", which is not read")[0]


@pytest.mark.parametrize(
    "formula",
    [
        "",
        "x",
        "~ x",
        "y ~ x ~ z",
        "y ~ {x",
        "y ~ x)",
        "y ~ (x",
        "y ~ + * x",
        "y ~ x" * 2000,
        None,
        3,
    ],
)
def test_what_is_no_formula(formula):
    with pytest.raises(InputError):
        parsed_formula(formula, "me")


def test_functions_of_each_value_are_numpys():
    x = np.array([0.5, 1.0, 2.0])
    assert all(np.array_equal(function(x), getattr(np, name)(x)) for name, function in ELEMENTWISE.items())
