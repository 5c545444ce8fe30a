"""Frames of pandas, polars and pyarrow as frames of Polars, refused in words where they are no table."""

from collections import Counter
from typing import Any

from credo.errors import InputError
from credo.represent.frame import as_frame

__all__ = ["polars_frame"]


def polars_frame(frame: Any, who: str) -> Any:
    """The same columns in Polars; one that cannot be, as of pandas numbers beside texts, is refused by its name."""
    _require_names(frame, who)
    known = as_frame(frame, who, cause="A table has named columns")
    try:
        return known.to_polars()
    except Exception as error:  # pyarrow, by which columns go, has many kinds of them
        raise _mixed(known, who, error) from error


def _require_names(frame: Any, who: str) -> None:
    names = getattr(frame, "column_names", None)  # of pyarrow, whose columns are arrays
    if names is None:
        names = getattr(frame, "columns", [])
    twice = [name for name, times in Counter(map(str, names)).items() if times > 1]
    if twice:
        what = f"two columns are called {twice[0]!r}"
        raise InputError(who, what, "Frames were joined, or a column was added again", "Rename one of them")


def _mixed(known: Any, who: str, error: Exception) -> InputError:
    """The refusal, by the first column that cannot be read alone."""
    for name in known.columns:
        try:
            known[name].to_polars()
        except Exception:
            kinds = sorted({type(value).__name__ for value in known[name].to_list() if value is not None})
            what = f"column {name!r} holds values of the types {', '.join(kinds[:5])}"
            return InputError(who, what, "A column has values of one type", "Make all of them numbers, or all text")
    return InputError(who, "the frame cannot be read", str(error).strip()[:200], "Pass plain columns")
