"""R-style formulas: how the columns of a linear model are made from those of a frame, and made again later.

Formulaic makes the columns; `formula_grammar` reads the formula before it does.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from credo.errors import InputError
from credo.represent.formula_grammar import ELEMENTWISE, Factors, parsed_formula
from credo.represent.frame import FrameColumn, frame_columns

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FormulaDesign", "FormulaRows", "formula_rows"]

_MOST_ROWS = 10_000_000  # that weights stand for, where a function learns from them
_REFUSALS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


@dataclass(frozen=True)
class FormulaDesign:
    """How a formula makes the columns of a linear model from those of a frame; plain data, so that a file can hold it.

    Parameters
    ----------
    formula : str
        Read anew, by a closed grammar, each time it is used: no part of it can run code.
    kinds : dict
        "number", "code" (numbers taken for categories) or "text", by column of the frame.
    levels : dict
        Of each part that stands for categories; the first one has no column where there is an intercept.
    state : dict
        What functions such as `center`, `scale`, `poly` and `bs` have learned, by part.
    names : tuple of str
        Of the columns that are made, the intercept left out.
    intercept : bool
        Whether the model has one.
    """

    formula: str
    kinds: dict[str, str]
    levels: dict[str, list[Any]]
    state: dict[str, dict[str, Any]]
    names: tuple[str, ...]
    intercept: bool

    def table(self, frame: Any, who: str = "FormulaDesign") -> "pd.DataFrame":
        """The columns of the model for the rows of a frame, which has the columns that the formula names.

        An unknown level, a missing column and missing values raise an `InputError`.
        """
        _, terms = parsed_formula(self.formula, who)
        columns = frame_columns(frame, terms.columns, who)
        for name, column in columns.items():
            if (column.levels is None) == (self.kinds.get(name) == "text"):
                here = "numbers" if column.levels is None else "text"
                what = f"column {name!r} holds {here}, and did not in the frame of fit"
                raise InputError(who, what, "It was read from another file, or converted", "Convert it")
        for part, levels in self.levels.items():
            _check_levels(columns, terms.coded.get(part, part), levels, who)
        made, names = _made(terms, columns, _with_numbers(self.state), self.levels, who)
        return _labeled(made, names, self.names, self.intercept, who)


class FormulaRows(NamedTuple):
    """What a formula makes of a frame: how it does, the columns, and the response."""

    design: FormulaDesign
    table: "pd.DataFrame"
    response: np.ndarray


def formula_rows(formula: str, frame: Any, weights: np.ndarray, who: str = "formula_rows") -> FormulaRows:
    """Columns and response of the rows of a frame, whose positive `weights` count them.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"y": [1.0, 2.0, 4.0], "x": [0.0, 1.0, 2.0], "z": ["a", "b", "b"]})
    >>> rows = formula_rows("log(y) ~ x + z", frame, np.ones(3))
    >>> rows.design.names, rows.table.to_numpy().tolist()
    (('x', 'z[T.b]'), [[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]])
    """
    response, terms = parsed_formula(formula, who)
    if not terms.columns:
        what = f"{formula!r} has no columns besides the intercept"
        raise InputError(who, what, "A linear model has slopes", "Name a column on the right of ~")
    columns = frame_columns(frame, terms.columns, who)
    counts = _counts(terms, weights, who)
    spec: dict[str, Any] = {}
    made, names = _made(terms, {k: _repeated(c, counts) for k, c in columns.items()}, {}, {}, who, learned=spec)
    intercept = any(str(term) == "1" for term in terms.terms)
    named = tuple(names[int(intercept) :])
    coded = set(terms.coded.values())
    design = FormulaDesign(
        formula,
        {k: "text" if c.levels is not None else "code" if k in coded else "number" for k, c in columns.items()},
        {part: _plain(levels) for part, levels in spec["levels"].items()},
        {part: _plain(state) for part, state in spec["state"].items()},
        named,
        intercept,
    )
    table = design.table(frame, who) if counts is not None else _labeled(made, names, named, intercept, who)
    return FormulaRows(design, table, _response(response, frame, who))


def _response(factors: Factors, frame: Any, who: str) -> np.ndarray:
    """A column as it is, text too, or a function of columns."""
    columns = frame_columns(frame, factors.columns, who)
    parts = [factor for term in factors.terms for factor in term.factors]
    if len(parts) == 1 and parts[0].eval_method.value == "lookup":
        return columns[parts[0].expr].values
    made = _made(factors, columns, {}, {}, who)[0] if len(parts) == 1 else np.empty((0, 0))
    if made.shape[1] != 1 or factors.coded:
        what = "the left side of the formula is not one column of numbers"
        raise InputError(who, what, "A model has one response", "Try 'y ~ x' or 'log(y) ~ x'")
    return made[:, 0]


def _made(
    factors: Factors,
    columns: Mapping[str, FrameColumn],
    state: dict[str, Any],
    levels: Mapping[str, list[Any]],
    who: str,
    learned: dict[str, Any] | None = None,
) -> tuple[np.ndarray, tuple[str, ...]]:
    """The matrix of some terms and the names of its columns, by formulaic, in a context of nothing but functions."""
    import pandas as pd
    from formulaic import ModelSpec
    from formulaic.errors import DataMismatchWarning, FormulaicError

    coded = set(factors.coded.values())
    table = pd.DataFrame({name: _series(column, coded=name in coded) for name, column in columns.items()})
    spec = ModelSpec(
        formula=factors.terms,
        output="numpy",
        na_action="raise",
        transform_state=state,
        encoder_state={part: (None, {"categories": known}) for part, known in levels.items()},
    )
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error", DataMismatchWarning)
            matrix = spec.get_model_matrix(table, context=ELEMENTWISE)
            made = np.asarray(matrix, dtype=np.float64).reshape(len(table), -1)
    except (DataMismatchWarning, FormulaicError, *_REFUSALS) as error:
        what = f"the formula cannot be evaluated ({str(error)[:300]})"
        cause = "A function does not take such values, or a column is called as it is"
        raise InputError(who, what, cause, "Look at those values") from error
    if learned is not None:
        learned["state"] = matrix.model_spec.transform_state
        states = {part: state for part, (_, state) in matrix.model_spec.encoder_state.items()}
        learned["levels"] = {part: state["categories"] for part, state in states.items() if "categories" in state}
    return made, tuple(matrix.model_spec.column_names)


def _series(column: FrameColumn, *, coded: bool) -> Any:
    import pandas as pd

    if column.levels is not None:
        return pd.Categorical(column.values, categories=column.levels)
    return column.values if coded else column.values.astype(np.float64)


def _labeled(
    made: np.ndarray, names: tuple[str, ...], wanted: tuple[str, ...], intercept: bool, who: str
) -> "pd.DataFrame":
    import pandas as pd

    if names[int(intercept) :] != wanted or not np.all(np.isfinite(made)):
        bad = [name for name, column in zip(names, made.T, strict=True) if not np.all(np.isfinite(column))]
        what = f"{', '.join(bad[:5])} has infinite values" if bad else f"columns {wanted[:5]} became {names[:5]}"
        raise InputError(who, what, "A function left the range of numbers", "Look at the frame for zeros")
    return pd.DataFrame(made[:, int(intercept) :], columns=list(wanted))


def _check_levels(columns: Mapping[str, FrameColumn], name: str, levels: list[Any], who: str) -> None:
    known = {level for level in levels if isinstance(level, (str, int, float))}
    unknown = set(columns[name].values.tolist()) - known if name in columns else set()
    if unknown:
        what = f"column {name!r} has the level {min(map(repr, unknown))}, which fit has not seen"
        cause = f"Nothing is known about it; known are {', '.join(map(repr, levels[:10]))}"
        raise InputError(who, what, cause, "Leave those rows out, or fit with rows of that level")


def _counts(terms: Factors, weights: np.ndarray, who: str) -> np.ndarray | None:
    """How often each row stands, where a function learns from the rows; None where each stands once."""
    if not terms.learns or np.all(weights == 1.0):
        return None
    if np.any(weights % 1.0 != 0.0) or np.sum(weights) > _MOST_ROWS:
        what = f"the formula learns from the rows (center, scale, poly, bs), and weights sum to {np.sum(weights):g}"
        cause = f"A weight is how often a row was seen: whole numbers, of at most {_MOST_ROWS} rows"
        raise InputError(who, what, cause, "Compute those columns first")
    return weights.astype(np.int64)


def _repeated(column: FrameColumn, counts: np.ndarray | None) -> FrameColumn:
    return column if counts is None else column._replace(values=np.repeat(column.values, counts))


def _plain(value: Any) -> Any:
    """As a file holds it: keys are text, numbers are Python's."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return value.item() if isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0 else value


def _with_numbers(state: Any) -> Any:
    """A copy with the keys of orthogonal polynomials as the numbers that they are."""
    if not isinstance(state, dict):
        return state
    return {int(key) if key.isdigit() else key: _with_numbers(entry) for key, entry in state.items()}
