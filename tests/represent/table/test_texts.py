"""Numbers as people write them, and marks of what is missing."""

import polars as pl
import pytest

from credo.represent.table.texts import MARKS, NumberForm, read_numbers, strange_among_numbers, without_marks


@pytest.mark.parametrize(
    ("texts", "numbers", "form"),
    [
        (["1", "-2", "+3"], [1, -2, 3], NumberForm()),
        (["1.5", "2e3", ".5"], [1.5, 2000.0, 0.5], NumberForm()),
        (["1,5", "2", "1,250"], [1.5, 2.0, 1.25], NumberForm(decimal=",")),
        (["0,123", "1,234"], [0.123, 1.234], NumberForm(decimal=",")),
        (["1,234", "12,500", "999", "3,100"], [1234, 12500, 999, 3100], NumberForm(thousands=",")),
        (["1,250", "1500"], [1250, 1500], NumberForm(thousands=",")),
        (["1,234,567", "12"], [1234567, 12], NumberForm(thousands=",")),
        (["1,234.50", "7"], [1234.5, 7.0], NumberForm(thousands=",")),
        (["1,234", "2.5"], [1234.0, 2.5], NumberForm(thousands=",")),
        (["1.234,50", "7,1"], [1234.5, 7.1], NumberForm(".", ",")),
        (["1.234.567", "1.234"], [1234567, 1234], NumberForm(".", ",")),
        (["1'234", "5"], [1234, 5], NumberForm("'")),
        (["1’234.5", "5"], [1234.5, 5.0], NumberForm("'")),
        (["1 234", "1\u202f234\u00a0567", "5,5"], [1234.0, 1234567.0, 5.5], NumberForm(" ", ",")),
        (["1_000", "5"], [1000, 5], NumberForm("_")),
        (["−5", "3"], [-5, 3], NumberForm()),
        (["$1,234.50", "-$5", "$-5"], [1234.5, -5.0, -5.0], NumberForm(",", before="$")),
        (["€ 5", "€6"], [5, 6], NumberForm(before="€")),
        (["12.3 %", "4%"], [12.3, 4.0], NumberForm(behind="%")),
        (["1.234,50 €", "7 €"], [1234.5, 7.0], NumberForm(".", ",", behind="€")),
        (["5 kg", "6.5 kg"], [5.0, 6.5], NumberForm(behind="kg")),
        (["5 m/s2", "7 m/s2"], [5, 7], NumberForm(behind="m/s2")),
        (["2.329,03 €", "1217,5"], [2329.03, 1217.5], NumberForm(".", ",", behind="€", some=True)),
        (["$5", "6"], [5, 6], NumberForm(before="$", some=True)),
        (["5 g", "6"], [5, 6], NumberForm(behind="g", some=True)),
    ],
)
def test_numbers_as_they_are_written(texts, numbers, form):
    found = read_numbers(pl.Series([*texts, None, "-"]))
    assert found is not None
    assert found[0].to_list() == [*numbers, None, None]
    assert found[1] == form


@pytest.mark.parametrize(
    "texts",
    [
        ["a", "b"],
        ["5 kg", "6 g"],
        ["5 %", "6"],
        ["5 ‰", "6"],
        ["$5", "€6"],
        ["$5", "6 kg", "7"],
        ["5 kg", "6 g", "7"],
        ["12", "12a", "14"],
        ["sample 1", "sample 2"],
        ["A1", "A2"],
        ["#1", "#2"],
        ["<5", "6"],
        ["1,234", "2.345"],
        ["1,23,456", "5"],
        ["12 34", "5"],
        ["044 123 456"],
        ["31.05.2024"],
        ["2024-05-31"],
        ["1.2.3"],
        ["-", "."],
        [None],
    ],
)
def test_what_is_no_number_or_might_be_two_stays_text(texts):
    assert read_numbers(pl.Series(texts, dtype=pl.String)) is None


def test_what_tells_may_stand_far_behind():
    texts = pl.Series(["1,234", "2.345"] * 200 + ["5.5"])
    found = read_numbers(texts)
    assert found is not None
    assert found[0].to_list()[:2] == [1234.0, 2.345]


def test_signs_are_said_in_words():
    assert NumberForm().words == ""
    assert NumberForm(".", ",", "€").words == (
        ", with points between thousands, with a decimal comma, with € before them"
    )
    assert NumberForm("'", behind="%").words == ", with apostrophes between thousands, with % behind them"
    assert NumberForm(behind="€", some=True).words == ", with € behind some of them"


def test_a_form_reads_what_is_written_so_and_nothing_else():
    german = NumberForm(".", ",", behind="€")
    texts = pl.Series(["1.234,5 €", "1234,5", "1234.5", "5 $", "x", None])
    assert german.read(texts).to_list() == [1234.5, 1234.5, None, None, None, None]


def test_marks_are_found_without_the_blanks_around_them():
    texts = pl.Series([f" {mark}\t" for mark in MARKS])
    assert without_marks(texts).null_count() == len(MARKS)
    assert without_marks(texts, names=["NA"]).drop_nulls().to_list() == ["NA"]
    assert without_marks(pl.Series(["-", "none", "5"])).to_list() == ["-", "none", "5"]
    assert without_marks(pl.Series(["-", "none", "5"]), maybe=True).to_list() == [None, None, "5"]
    assert without_marks(pl.Series(["NA", "a"], dtype=pl.Categorical)).to_list() == [None, "a"]


@pytest.mark.parametrize("mark", ["n.a.", "N.A.", "n.d.", "Null"])
def test_marks_that_nobody_is_called_are_missing_also_among_names(mark):
    assert without_marks(pl.Series(["water", mark])).to_list() == ["water", None]


@pytest.mark.parametrize("mark", ["na", "Na", "none", "missing"])
def test_marks_that_may_be_names_are_missing_among_numbers_alone(mark):
    assert without_marks(pl.Series(["Cl", mark])).to_list() == ["Cl", mark]
    found = read_numbers(pl.Series(["1,5", mark]))
    assert found is not None
    assert found[0].to_list() == [1.5, None]


def test_a_word_for_none_of_a_kind_is_no_mark():
    assert read_numbers(pl.Series(["1", "keine"])) is None


@pytest.mark.parametrize(
    ("texts", "strange"),
    [
        (["1.5", "2.5", "<0.1"], ["<0.1"]),
        (["1,5", "1.234,5", "7,25", "<0,1", "n.b.", "na"], ["<0,1", "n.b."]),
        (["1,5 €", "2,5", "<0,1", "8 €"], ["<0,1"]),
        (["1,5", "2,7", "1.2.3"], ["1.2.3"]),
        (["5 %", "6 %", "0.05"], ["0.05"]),
        (["12", "12a", "14"], ["12a"]),
        (["5 kg", "6 kg", "7 g"], ["7 g"]),
        (["a", "b"], ["a", "b"]),
    ],
)
def test_what_keeps_others_from_being_numbers_is_found(texts, strange):
    found, total = strange_among_numbers(pl.Series(texts))
    assert found.to_list() == strange
    assert total == len(without_marks(pl.Series(texts), maybe=True).drop_nulls())
