"""Moments as people write them."""

import datetime as dt

import polars as pl
import pytest

from credo.represent.table.moments import MomentForm, read_moments

HALF_PAST = dt.datetime(2024, 5, 31, 14, 30)
DAY = dt.datetime(2024, 5, 31)


@pytest.mark.parametrize(
    ("text", "moment", "said"),
    [
        ("2024-05-31", DAY, ""),
        ("2024/5/31", DAY, ""),
        ("2024-05-31 14:30", HALF_PAST, ""),
        ("2024-05-31T14:30", HALF_PAST, ""),
        ("2024-05-31T14:30:00", HALF_PAST, ""),
        ("2024-05-31T14:30:00.250", HALF_PAST.replace(microsecond=250_000), ""),
        ("2024-05-31T14:30:00Z", HALF_PAST, ", on the clock of UTC"),
        ("2024-05-31T14:30Z", HALF_PAST, ", on the clock of UTC"),
        ("2024-05-31T14:30:00+02:00", HALF_PAST, ", on the clock of UTC+02:00"),
        ("2024-05-31 14:30:00.000 -0530", HALF_PAST, ", on the clock of UTC-05:30"),
        ("31.05.2024", DAY, ""),
        ("31.05.2024 14:30:00", HALF_PAST, ""),
        ("05/31/2024", DAY, ", month/day/year"),
        ("5/31/2024 2:30 PM", HALF_PAST, ", month/day/year"),
        ("31/05/2024", DAY, ", day/month/year"),
        ("31-05-2024", DAY, ", day/month/year"),
    ],
)
def test_common_ways_to_write_a_moment(text, moment, said):
    found = read_moments(pl.Series([text, None, "-", "NA"]))
    assert found is not None
    assert found[0].to_list() == [moment, None, None, None]
    assert found[2] == said


def test_the_day_is_what_goes_beyond_twelve_anywhere_in_the_column():
    texts = ["01/02/2024", "05/06/2024"]
    added = ([], ["05/31/2024"], ["31/05/2024"])
    unclear, american, other = (read_moments(pl.Series([*texts, *more])) for more in added)
    assert unclear[0][0] == other[0][0] == dt.datetime(2024, 2, 1)
    assert american[0][0] == dt.datetime(2024, 1, 2)
    assert "taken for day/month/year" in unclear[2]
    assert read_moments(pl.Series(["05/31/2024", "31/05/2024"])) is None


def test_parts_of_seconds_may_be_left_out():
    found = read_moments(pl.Series(["2024-05-31 14:30:00", "2024-05-31 14:30:00.5"]))
    assert found[0].to_list() == [HALF_PAST, HALF_PAST.replace(microsecond=500_000)]


def test_several_zones_are_put_into_one():
    found = read_moments(pl.Series(["2024-05-31T14:30:00+02:00", "2024-12-31T14:30:00+01:00"]))
    assert found[0].to_list() == [dt.datetime(2024, 5, 31, 12, 30), dt.datetime(2024, 12, 31, 13, 30)]
    assert found[2] == ", of several zones, in UTC"
    assert read_moments(pl.Series(["2024-05-31T14:30:00+02:00", "2024-12-31T14:30:00"])) is None


def test_a_form_puts_other_zones_on_its_clock():
    form = MomentForm("%Y-%m-%dT%H:%M:%S%.f", 120)
    texts = pl.Series(["2024-05-31T14:30:00+02:00", "2024-05-31T12:30:00Z", "2024-05-31T14:30:00", "x"])
    assert form.read(texts).to_list() == [HALF_PAST] * 3 + [None]
    assert MomentForm(form.pattern).read(texts[:1]).to_list() == [HALF_PAST]


@pytest.mark.parametrize("text", ["2024-02-31", "13/13/2024", "0000-01-01", "31.05.24", "1-2-3", "14:30", "word"])
def test_what_is_no_date_stays_text(text):
    assert read_moments(pl.Series([text])) is None
    assert read_moments(pl.Series(["2024-05-31", text])) is None


@pytest.mark.parametrize(
    "texts",
    [
        ["31.05.2024", "01.06.2024"],
        ["05/31/2024 02:30 PM", "06/01/2024 11:05 AM"],
        ["2024-05-31T14:30:00Z", "2024-06-01T08:00:00.250Z"],
        ["2024-05-31 14:30:00-03:30", "2024-06-01 08:00:00-03:30"],
    ],
)
def test_moments_are_written_as_they_were_read(texts):
    found = read_moments(pl.Series([*texts, None]))
    assert found is not None
    values, form, _ = found
    assert form.write(values).to_list() == [*texts, None]
