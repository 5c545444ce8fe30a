"""What a formula may say. Formulaic evaluates parts of a formula as Python, so each is read here first.

A formula, also one in a file from a stranger, must not run code: what goes on is made of column names, numbers, the
operators of formulas and of arithmetic, and calls of the functions listed here. Attributes, subscripts, lambdas,
comprehensions and every other name are refused, and so is what would expand to very many terms.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np

from credo.errors import InputError

__all__ = ["ELEMENTWISE", "Factors", "parsed_formula"]

#: Functions of each value alone.
ELEMENTWISE = {
    **{name: getattr(np, name) for name in ("log", "log2", "log10", "log1p", "exp", "expm1", "sqrt", "abs")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "tanh", "floor", "ceil")},
}
# Functions that learn from the rows of fit, and the arguments that they take besides a column.
_LEARNING = {
    "center": (),
    "scale": ("center", "scale", "ddof"),
    "standardize": ("center", "rescale", "ddof"),
    "poly": ("degree", "raw"),
    "bs": ("df", "knots", "degree", "include_intercept", "lower_bound", "upper_bound", "extrapolation"),
}
_CONTRASTS = ("Sum", "Helmert", "Diff", "Poly")
_KNOWN = "I, " + ", ".join((*_LEARNING, *ELEMENTWISE))
_CALLED = {"C", "I", "Treatment", *_CONTRASTS, *_LEARNING, *ELEMENTWISE}
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
_NODES = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Name, ast.Load, ast.Constant, ast.keyword, ast.List)
_LONGEST, _LONGEST_PART = 5000, 500  # characters
_MOST_TERMS = 20_000
_MOST_COLUMNS = 100  # of one polynomial or spline
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Factors:
    """One side of a formula: formulaic's terms, the columns they name, and whether functions learn from the rows.

    `coded` are the parts ``C(…)`` with the column that each takes for categories.
    """

    terms: Any
    columns: frozenset[str]
    coded: dict[str, str]
    learns: bool


@dataclass
class _Reading:
    """What has been met on one side."""

    who: str
    aliases: dict[str, str] = field(default_factory=dict)  # of the part that is read
    columns: set[str] = field(default_factory=set)
    coded: dict[str, str] = field(default_factory=dict)
    quoted: set[str] = field(default_factory=set)
    learns: bool = False


def parsed_formula(text: Any, who: str) -> tuple[Factors, Factors]:
    """Both sides of ``response ~ terms``, or an `InputError` that names the part that is refused."""
    from formulaic import Formula
    from formulaic.errors import FormulaicError
    from formulaic.parser.algos.tokenize import tokenize

    if not isinstance(text, str) or len(text) > _LONGEST:
        what = "is not text" if not isinstance(text, str) else f"has {len(text)} characters"
        raise InputError(who, f"the formula {what}", f"At most {_LONGEST} are read", "Try 'y ~ x + C(z)'")
    try:
        tokens = list(tokenize(text))
        _check_operators(tokens, who)
        for token in tokens:  # before formulaic's parser sees them; what it makes of them is read again
            if token.kind.value == "python":
                _read_python(token.token, _Reading(who))
        formula = Formula(text)
    except (FormulaicError, SyntaxError, RecursionError) as error:
        what = f"{text[:200]!r} is not a formula ({str(error).partition(chr(10))[0][:200]})"
        raise InputError(who, what, "It is misspelt", "Try 'y ~ x + C(z)'") from error
    if not hasattr(formula, "lhs"):
        raise InputError(
            who, f"{text[:200]!r} has no response", "Nothing stands on the left of ~", "Try 'y ~ x + C(z)'"
        )
    return _side(formula.lhs, who), _side(formula.rhs, who)


def _side(terms: Any, who: str) -> Factors:
    reading = _Reading(who)
    for factor in (factor for term in terms for factor in term.factors):
        method = factor.eval_method.value
        if method == "lookup":
            reading.columns.add(factor.expr)
        elif method == "python":
            _read_python(factor.expr, reading)
        elif factor.expr != "1":
            _refuse(factor.expr, "Numbers stand inside I(…) or {…}; outside, 0 and 1 are about the intercept", who)
    # Inside of Python parts formulaic calls `a b` a_b.
    stems = [re.sub(r"\W", "_", name) for name in reading.columns]
    alike = [name for name in sorted(reading.quoted) if stems.count(re.sub(r"\W", "_", name)) > 1]
    if alike:
        _refuse(f"`{alike[0]}`", "Another column has nearly the same name", who, "Rename one of the two")
    return Factors(terms, frozenset(reading.columns), reading.coded, reading.learns)


def _check_operators(tokens: list[Any], who: str) -> None:
    """Operators and numbers outside of Python parts, one ``~``, and how many terms they may expand to."""
    before = ""
    for token in tokens:
        word, kind = token.token, token.kind.value
        if kind == "operator" and re.fullmatch(r"[-+*:/^~]+", word) is None:
            _refuse(word, "Formulas are made of + - * : / ** ^ ~ ( ) here", who)
        power = before in ("**", "^")
        if kind == "value" and re.fullmatch("[1-6]" if power else "[01]", word) is None:
            _refuse(word, "Numbers stand inside I(…) or {…}; outside, 0 and 1 are about the intercept", who)
        if kind == "context" and word not in "()":
            _refuse(word, "Brackets are round", who)
        before = word
    if sum(token.token.count("~") for token in tokens if token.kind.value == "operator") != 1:
        raise InputError(who, "the formula has not one ~", "It has a response and terms", "Try 'y ~ x + C(z)'")
    for summand in _summands(tokens):
        if _terms_at_most(summand) > _MOST_TERMS:
            words = "".join(token.token for token in summand)
            _refuse(words[:80], f"It may expand to more than {_MOST_TERMS} terms", who)


def _summands(tokens: list[Any]) -> Iterator[list[Any]]:
    """What stands between + and - outside of brackets."""
    depth = 0
    part: list[Any] = []
    for token in tokens:
        if token.kind.value == "context":
            depth += 1 if token.token == "(" else -1
        if token.kind.value == "operator" and depth == 0 and token.token[0] in "+-~":
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _terms_at_most(summand: list[Any]) -> float:
    """A crossing without brackets at most doubles the terms; one of brackets, or a power, multiplies their numbers."""
    names = sum(token.kind.value in ("name", "python") for token in summand)
    operators = [token.token for token in summand if token.kind.value == "operator"]
    crossings = sum(word[0] in "*:/^" for word in operators)
    if not any(token.kind.value == "context" for token in summand):
        return 2.0**crossings
    powers = np.prod([float(token.token) for token in summand if token.kind.value == "value" and token.token != "0"])
    return float(max(names, 1)) ** min(float(powers) * (crossings + 1 - ("**" in operators or "^" in operators)), 300.0)


def _read_python(expression: str, reading: _Reading) -> None:
    from formulaic.utils.code import sanitize_variable_names

    if len(expression) > _LONGEST_PART:
        _refuse(expression[:80] + "…", f"A part has at most {_LONGEST_PART} characters", reading.who)
    aliases: dict[str, str] = {}
    # The same words that formulaic will hand to Python.
    tree = ast.parse(sanitize_variable_names(expression, {}, aliases), mode="eval").body
    if not all(map(_is_harmless, ast.walk(tree))):
        _refuse(expression, f"Parts are columns, numbers, arithmetic and {_KNOWN}", reading.who)
    reading.aliases = aliases
    reading.quoted.update(name for alias, name in aliases.items() if alias != name)
    before, reading.columns = reading.columns, set()
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "C":
        reading.coded[expression] = _read_categories(tree, reading)
    else:
        _read(tree, reading)
    if not reading.columns:
        _refuse(expression, "It names no column", reading.who)
    reading.columns |= before


def _is_harmless(node: ast.AST) -> bool:
    """Of a kind that runs nothing unknown, wherever it stands: the rules below say what is meaningful."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _CALLED
    return isinstance(node, _NODES)


def _read(node: ast.expr, reading: _Reading) -> None:
    """A number for each row: columns, numbers, arithmetic, known functions."""
    if isinstance(node, ast.Name):
        reading.columns.add(reading.aliases.get(node.id, node.id))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
        _read_arithmetic(node, reading)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        _read(node.operand, reading)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        _read_call(node, node.func.id, reading)
    elif not _is_number(node):
        _refuse(ast.unparse(node), f"Parts are columns, numbers, arithmetic and {_KNOWN}", reading.who)


def _read_arithmetic(node: ast.BinOp, reading: _Reading) -> None:
    _read(node.left, reading)
    if not isinstance(node.op, ast.Pow):
        _read(node.right, reading)
        return
    # Whole numbers of Python have no end: a power is one of a column.
    named = any(isinstance(part, ast.Name) for part in ast.walk(node.left))
    if not named or not _is_number(node.right) or abs(ast.literal_eval(node.right)) > 100:
        _refuse(ast.unparse(node), "A power is that of a column, to a number of at most 100", reading.who)


def _read_call(node: ast.Call, name: str, reading: _Reading) -> None:
    text = ast.unparse(node)
    first = node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None
    if first is None:
        _refuse(text, "A function is given a column first", reading.who)
    _read(first, reading)
    if name in _LEARNING:
        reading.learns = True
        given = [*zip(_LEARNING[name], node.args[1:], strict=False), *((w.arg or "**", w.value) for w in node.keywords)]
        known = len(node.args) - 1 <= len(_LEARNING[name]) and {word for word, _ in given} <= set(_LEARNING[name])
        if not known or not all(_is_setting(*setting) for setting in given):
            _refuse(text, f"{name} takes {', '.join(_LEARNING[name]) or 'one column'}", reading.who)
    elif name not in (*ELEMENTWISE, "I") or len(node.args) != 1 or node.keywords:
        _refuse(text, f"Known are {_KNOWN}; and C, as a whole term", reading.who)


def _read_categories(node: ast.Call, reading: _Reading) -> str:
    """The column of ``C(z)``, ``C(z, Sum)``, ``C(z, Treatment('b'))`` or ``C(z, levels=['b', 'a'])``."""
    first = node.args[0] if node.args else None
    text, words = ast.unparse(node), [("contrasts", part) for part in node.args[1:]]
    words += [(word.arg or "**", word.value) for word in node.keywords]
    others = dict(words)
    if not isinstance(first, ast.Name) or len(others) < len(words) or set(others) - {"contrasts", "levels"}:
        _refuse(text, "C takes a column, contrasts and levels", reading.who)
    if "levels" in others and not _is_list(others["levels"], _is_label):
        _refuse(text, "Levels are a list of labels", reading.who)
    if "contrasts" in others and not _is_contrast(others["contrasts"]):
        _refuse(text, f"Contrasts are Treatment('a level') or {', '.join(_CONTRASTS)}", reading.who)
    _read(first, reading)
    return reading.aliases.get(first.id, first.id)


def _is_contrast(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Treatment":
        known = all(word.arg == "reference" for word in node.keywords)
        return known and _is_label(*node.args, *(word.value for word in node.keywords))
    plain = node.func if isinstance(node, ast.Call) and not node.args and not node.keywords else node
    return isinstance(plain, ast.Name) and plain.id in _CONTRASTS


def _is_number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)) else node
    return isinstance(inner, ast.Constant) and type(inner.value) in (int, float)


def _is_label(*nodes: ast.expr) -> bool:
    return len(nodes) == 1 and (
        _is_number(nodes[0]) or (isinstance(nodes[0], ast.Constant) and type(nodes[0].value) in (str, bool))
    )


def _is_list(node: ast.expr, of: Any) -> bool:
    return isinstance(node, ast.List) and all(map(of, node.elts))


def _is_setting(name: str, node: ast.expr) -> bool:
    """A number, a truth value, one word, or a list of numbers; those that are numbers of columns are not large."""
    if name in ("df", "degree"):
        return isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value <= _MOST_COLUMNS
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, str)):
        # Formulaic writes a call that learns into a text of Python: there must be no quote in it.
        return not isinstance(node.value, str) or _WORD.fullmatch(node.value) is not None
    return _is_number(node) or _is_list(node, _is_number)


def _refuse(part: str, cause: str, who: str, remedy: str = "Compute a column of it first") -> NoReturn:
    raise InputError(who, f"the formula has {part!r}, which is not read", cause, remedy)
