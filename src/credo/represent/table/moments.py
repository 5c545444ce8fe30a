"""Text as moments, as people write them: the year first or last, the day before the month or behind it, zones."""

import re
from typing import Any, NamedTuple

from credo.represent.table.texts import without_marks

__all__ = ["MomentForm", "read_moments"]

_SEEN = 100  # texts that are looked at before all are
_FIRST = 1000  # year: 24 is one of this century, and nobody says which
_DATE = r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}"
_SHAPE = re.compile(
    r"(?:\d{4}(?P<first>[-./])\d{1,2}(?P=first)\d{1,2}|\d{1,2}(?P<last>[-./])\d{1,2}(?P=last)\d{4})"
    r"(?:(?P<between>[T ])\d{1,2}:\d{2}(?P<seconds>:\d{2}(?:\.\d+)?)?(?P<half> ?[AaPp][Mm])?)?"
)
_ZONE = r"(:\d{2}(?:\.\d+)?) ?(Z|[-+]\d{2}:?\d{2})$"  # behind a time alone: 31-05-2024 ends in none


class MomentForm(NamedTuple):
    """How the moments of a column are written: a pattern as `strptime` takes it, and the minutes by which their clock
    is ahead of UTC, None where no text says it.

    >>> import polars as pl
    >>> MomentForm("%d/%m/%Y").read(pl.Series(["31/05/2024", "x"])).to_list()
    [datetime.datetime(2024, 5, 31, 0, 0), None]
    """

    pattern: str
    ahead: int | None = None

    def read(self, texts: Any) -> Any:
        """The moments, on the clock of the column; none where a text is not written so."""
        import polars as pl

        moments = texts.str.replace(_ZONE, "$1").str.to_datetime(self.pattern, strict=False, exact=True, time_unit="us")
        moments = moments.set(moments.dt.year() < _FIRST, None)
        if self.ahead is None:
            return moments
        behind = self.ahead - _minutes(texts).fill_null(self.ahead)
        return moments + (behind * 60_000_000).cast(pl.Duration("us"))

    def write(self, moments: Any) -> Any:
        """The texts, none where a moment is missing; parts that the pattern lacks are left out.

        >>> import datetime, polars as pl
        >>> MomentForm("%d.%m.%Y %H:%M", ahead=120).write(pl.Series([datetime.datetime(2024, 5, 31, 14, 30)])).to_list()
        ['31.05.2024 14:30+02:00']
        """
        import polars as pl

        texts = moments.cast(pl.Datetime("us")).dt.strftime(self.pattern)
        return texts if self.ahead is None else texts + (_zone(self.ahead) if self.ahead else "Z")


def read_moments(texts: Any) -> tuple[Any, MomentForm, str] | None:
    """Text as moments, how they are written and what is to be said of it, where all of it is; None where some is not.

    Of dates that begin with a day or a month, whichever part goes beyond twelve is the day; where nothing tells, it is
    the day that comes first. One zone keeps its clock, so that morning is morning; times of several are put into UTC.
    """
    bare = without_marks(texts, maybe=True)
    there = bare.drop_nulls()
    if not len(there) or not bool(there.head(_SEEN).str.contains(f"^{_DATE}").all()):
        return None
    zones = there.str.extract(_ZONE, 2)
    if 0 < zones.null_count() < len(there):
        return None
    offsets = _minutes(there).drop_nulls().unique().to_list()
    ahead = (offsets[0] if len(offsets) == 1 else 0) if offsets else None
    fitting = []
    for pattern in _patterns(re.sub(_ZONE, r"\1", there[0])):
        form = MomentForm(pattern, ahead)
        moments = form.read(bare)
        if moments.null_count() == bare.null_count():
            fitting.append((moments, form))
    if not fitting:
        return None
    return *fitting[0], _order_in_words(fitting) + _zone_in_words(offsets)


def _patterns(example: str) -> list[str]:
    """The ways to read texts that look like this one."""
    shape = _SHAPE.fullmatch(example)
    if shape is None:
        return []
    time = ""
    if shape["between"]:
        half = (shape["half"] or "").lower().replace("am", "%p").replace("pm", "%p")
        seconds = ":%S%.f" if shape["seconds"] else ""
        time = f"{shape['between']}{'%I' if half else '%H'}:%M{seconds}{half}"
    mark = shape["first"] or shape["last"]
    parts = ["%Y %m %d"] if shape["first"] else ["%d %m %Y", "%m %d %Y"]
    return [part.replace(" ", mark) + time for part in parts]


def _minutes(texts: Any) -> Any:
    """By how much the clock of each time is ahead of UTC; none where it does not say."""
    import polars as pl

    zones = texts.str.extract(_ZONE, 2).replace("Z", "+0000").str.replace(":", "", literal=True)
    hours, minutes = (zones.str.slice(at, 2).cast(pl.Int64) for at in (1, 3))
    sign = zones.str.starts_with("-").cast(pl.Int64) * -2 + 1
    return sign * (60 * hours + minutes)


def _order_in_words(fitting: list[tuple[Any, MomentForm]]) -> str:
    pattern = fitting[0][1].pattern
    if pattern.startswith("%Y") or "." in pattern[:3]:  # with points it is the day that comes first, everywhere
        return ""
    order = "day/month/year" if pattern.startswith("%d") else "month/day/year"
    return f", {order}" if len(fitting) == 1 else f", taken for {order}: none tells which part is the month"


def _zone_in_words(offsets: list[int]) -> str:
    if not offsets:
        return ""
    if len(offsets) > 1:
        return ", of several zones, in UTC"
    return f", on the clock of UTC{_zone(offsets[0]) if offsets[0] else ''}"


def _zone(ahead: int) -> str:
    hours, minutes = divmod(abs(ahead), 60)
    return f"{'-' if ahead < 0 else '+'}{hours:02d}:{minutes:02d}"
