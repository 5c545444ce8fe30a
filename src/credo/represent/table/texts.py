"""Text as numbers, as people write them: with a decimal comma, signs between thousands, a currency or a unit; and the
marks that say that a value is missing."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["MARKS", "NumberForm", "read_numbers", "strange_among_numbers", "without_marks"]

#: Texts that say that there is nothing, in every kind of file.
MARKS = (
    *("", "NA", "N/A", "n/a", "N.A.", "n.a.", "N.D.", "n.d.", "#N/A", "#NA", "<NA>"),
    *("NaN", "nan", "null", "Null", "NULL", "None", "?"),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"),  # what spreadsheets write where a formula failed
)
# They say so where all else is numbers or moments, and may be names elsewhere: Na is sodium, and "none" a choice.
_MAYBE = ("-", "--", "–", "—", ".", "na", "Na", "none", "NONE", "missing", "Missing", "MISSING")
_SEEN, _MANY = 100, 1000  # texts that are looked at before all are, and by which the way of most is found
_LONGEST = 200  # letters of a text that is looked at: somebody may have put a book into a cell
_SHORT = (1e-9, 1e16)  # numbers that are written without a power of ten
_CURRENCIES = r"(?:[A-Z]{0,3}\p{Sc}|USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|Fr\.|Rs\.?|kr\.?)"
_UNIT = r"(?:[%‰]|[\p{L}\p{Sc}°µ/'\"][^\d]{0,15}[23]?)"  # also m2 and m/s2
_BODY = r"[.,]?\d(?:[\d.,'_\s]*\d)?[.,]?(?:[eE][-+]?\d+)?"
_PARTS = rf"^(?P<sign>[-+]?)(?P<before>{_CURRENCIES})?\s*(?P<inner>[-+]?)(?P<body>{_BODY})\s*(?P<behind>{_UNIT})?$"
_BETWEEN = {",": "commas", ".": "points", "'": "apostrophes", " ": "blanks", "_": "underscores"}
# The sign between thousands and the one before decimals. The first that all texts fit is taken: a comma with three
# digits behind it in every text is rather one between thousands, since decimals are seldom three all the time.
_SIGNS = (("", "."), (",", "."), (".", ","), ("'", "."), (" ", "."), ("_", "."), ("", ","), ("'", ","), (" ", ","))


class NumberForm(NamedTuple):
    """How the numbers of a column are written: the signs between thousands and before decimals, and what stands before
    and behind every number, or behind `some` of them.

    >>> import polars as pl
    >>> NumberForm(thousands=".", decimal=",", behind="€").read(pl.Series(["1.234,50 €", "7", "x"])).to_list()
    [1234.5, 7.0, None]
    """

    thousands: str = ""
    decimal: str = "."
    before: str = ""
    behind: str = ""
    some: bool = False

    @property
    def words(self) -> str:
        """What is said of it behind a reason; nothing of numbers as every program writes them."""
        parts = [f"with {_BETWEEN[self.thousands]} between thousands"] if self.thousands else []
        parts += ["with a decimal comma"] if self.decimal == "," else []
        which = "some of them" if self.some else "them"
        parts += [f"with {self.before} before {which}"] if self.before else []
        parts += [f"with {self.behind} behind {which}"] if self.behind else []
        return "".join(f", {part}" for part in parts)

    def read(self, texts: Any) -> Any:
        """The numbers; none where a text is not written so. What stands before and behind may be left out."""
        import polars as pl

        parts = _parts(texts)
        fits = parts["body"].str.contains(_written(self.thousands, self.decimal))
        fits &= parts["before"].is_in(["", self.before]) & parts["behind"].is_in(["", self.behind])
        body = parts["body"].str.replace_all(self.thousands, "", literal=True) if self.thousands else parts["body"]
        plain = parts["sign"] + parts["inner"] + body.str.replace(self.decimal, ".", literal=True)
        return _numbers(pl.select(pl.when(fits).then(plain)).to_series().alias(texts.name))

    def write(self, numbers: Any) -> Any:
        """The texts, none where a number is missing.

        >>> import polars as pl
        >>> NumberForm(thousands=".", decimal=",", behind="€").write(pl.Series([1234.5, -7.0, None])).to_list()
        ['1.234,5 €', '-7,0 €', None]
        """
        import polars as pl

        values = numbers.to_list() if numbers.dtype.is_integer() else numbers.cast(pl.Float64).fill_nan(None).to_list()
        return pl.Series(numbers.name, [None if x is None else self._text(x) for x in values], dtype=pl.String)

    def _text(self, number: float) -> str:
        whole, _, rest = _plain(abs(number)).partition(".")
        # Alone, 1.847 would be less than two; and 12,125 more than twelve thousand, which 12,1250 is not.
        if self.thousands and whole.isdigit() and (self.thousands != "." or rest or len(whole) > 6):
            whole = f"{int(whole):,}".replace(",", self.thousands)
        if self.decimal == "," and len(rest) == 3:
            rest += "0"
        body = f"{whole}{self.decimal}{rest}" if rest else whole
        gap = " " if any(map(str.isalpha, self.before)) else ""
        return f"{'-' if number < 0 else ''}{self.before}{gap}{body}{' ' if self.behind else ''}{self.behind}"


def without_marks(series: Any, *, names: Sequence[str] = (), maybe: bool = False) -> Any:
    """Text without blanks around it, and none where it only says that there is none.

    A mark that is one of the `names` is kept; `maybe` says that all else in the column is numbers or moments, so that
    "-" is no name.

    >>> import polars as pl
    >>> without_marks(pl.Series([" 5", " ", "#N/A", "-"])).to_list()
    ['5', None, None, '-']
    """
    import polars as pl

    marks = [mark for mark in (*MARKS, *(_MAYBE if maybe else ())) if mark not in names]
    trimmed = series.cast(pl.String).str.strip_chars()
    return trimmed.set(trimmed.is_in(marks), None)


def read_numbers(texts: Any) -> tuple[Any, NumberForm] | None:
    """Text as numbers and how they are written, where all of it is; None where some is not."""
    bare = without_marks(texts, maybe=True)
    if bare.null_count() == len(bare):
        return None
    numbers = _numbers(bare)
    if numbers.null_count() == bare.null_count():
        return numbers, NumberForm()
    there = bare.drop_nulls()
    if _parts(there.head(_SEEN))["body"].null_count():  # most columns of text are seen to be no numbers by a few
        return None
    form = _form(there.unique())
    if form is None:
        return None
    numbers = form.read(bare)
    return (numbers, form) if numbers.null_count() == bare.null_count() else None


def _form(texts: Any) -> NumberForm | None:
    """How all of some texts are written, if they are numbers."""
    parts = _parts(texts)
    if parts["body"].null_count():
        return None
    around = set(zip(parts["before"].to_list(), parts["behind"].to_list(), strict=True))
    named = list(around - {("", "")})
    signs = _signs(parts["body"])
    if signs is None or len(named) > 1 or (len(around) > 1 and _tells(named[0][1], texts)):
        return None
    before, behind = named[0] if named else ("", "")
    return NumberForm(*signs, before, behind, some=len(around) > 1)


def strange_among_numbers(texts: Any) -> tuple[Any, int]:
    """Those of some texts that keep the others from being numbers, and how many there are in all."""
    import polars as pl

    there = without_marks(texts.str.slice(0, _LONGEST), maybe=True).drop_nulls()
    some = there.head(_MANY)
    parts = pl.DataFrame(_parts(some)).drop_nulls("body")
    usual = parts.group_by("before", "behind").len().sort("len", "before", "behind", descending=True).head(2)
    forms = [NumberForm(*signs, *pair[:2]) for pair in usual.rows() for signs in _SIGNS]
    best = max(forms, key=lambda form: int(_fit(some, form).sum()), default=NumberForm())
    return there.filter(~_fit(there, best)), len(there)


def _fit(texts: Any, form: NumberForm) -> Any:
    """Whether each is written so, with nothing left out that tells."""
    fits = form.read(texts).is_not_null()
    return fits & (_parts(texts)["behind"] == form.behind) if _tells(form.behind, texts) else fits


def _tells(behind: str, texts: Any) -> bool:
    """Whether a number is another one without what stands behind it: 5 % is not 5, and house 12a is not house 12."""
    label = len(behind) == 1 and behind.isalpha() and bool(texts.str.contains(rf"\d{behind}$").any())
    return label or behind in ("%", "‰")


def _parts(texts: Any) -> dict[str, Any]:
    """The sign, what stands before the number, a sign behind that, the number, and what stands behind it."""
    plain = texts.str.replace_all("−", "-", literal=True).str.replace_all("’", "'", literal=True)
    found = plain.str.extract_groups(_PARTS).struct.unnest()
    return {
        "body": found["body"].str.replace_all(r"\s", " "),
        **{name: found[name].fill_null("") for name in ("sign", "before", "inner", "behind")},
    }


def _signs(bodies: Any) -> tuple[str, str] | None:
    """The signs between thousands and before decimals that all numbers fit; None where two ways read as well."""
    seen = {sign for sign in _BETWEEN if bool(bodies.str.contains(sign, literal=True).any())}
    fitting = [
        pair
        for pair in _SIGNS
        if seen <= set(pair) and (not pair[0] or pair[0] in seen) and bool(bodies.str.contains(_written(*pair)).all())
    ]
    if (",", ".") in fitting and (".", ",") in fitting:  # 1,234 beside 2.345
        return None
    return fitting[0] if fitting else None


def _written(thousands: str, decimal: str) -> str:
    """The pattern of a number with these signs. Groups have three digits, and no number begins with a group of 0."""
    point = re.escape(decimal)
    whole = rf"(?:[1-9]\d{{0,2}}(?:{re.escape(thousands)}\d{{3}})+|\d+)" if thousands else r"\d+"
    return rf"^(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][-+]?\d+)?$"


def _plain(number: float) -> str:
    """All digits that tell it from others, without a power of ten where a few zeros do."""
    if isinstance(number, int) or (number != 0.0 and not _SHORT[0] <= number < _SHORT[1]):
        return str(number)
    return np.format_float_positional(number, trim="0")


def _numbers(texts: Any) -> Any:
    """Numbers as programs write them, whole where all are; none where a text is not one."""
    import polars as pl

    whole = texts.cast(pl.Int64, strict=False)
    return whole if whole.null_count() == texts.null_count() else texts.cast(pl.Float64, strict=False)
