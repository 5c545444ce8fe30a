"""Text files that strangers send, made by code: each with what has to come of it."""

import gzip
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

MARKUP = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title><svg/onload=alert(1)>",
    "javascript:alert(1)",
    "<!--",
    "{{7*7}}",
    "{% include '/etc/passwd' %}",
    "${7*7}",
    "../../etc/passwd",
)
FORMULAS = (
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://evil.example","x")',
    "+SUM(1,1)",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)",
    "\t=1+1",
    "\r=1+1",
    "x\r=1+1",
    "x\n=1+1",
    "x;=1+1",
    "＝1+1",
)
SIGNS = (
    "a.b",
    "a[0]",
    "a:Q",
    'say "x"',
    "back\\slash",
    "it's",
    "count()",
    "datum['x']",
    "*",
    "^.*$",
    "a=b",
    "x missing",
)
OWN = ("low", "high", "mean", "Y", "predicted low", "predicted y", "standard deviation", "share of noise", "why", "")
LETTERS = ("שלום", "\u202eevil", "zero\u200bwidth", "😀", "\x1b[2J\x1b]0;owned\x07", "two\nlines", "e\u0301", "é", " ")


class Case(NamedTuple):
    """A file by its name, what is in it, and what is said of it: None where it is a table that is read."""

    name: str
    content: Callable[[], bytes]
    refusal: str | None = None

    def write(self, folder: Path) -> Path:
        """The file, in a folder."""
        path = folder / self.name
        path.write_bytes(self.content())
        return path


def csv_of(names: Sequence[str], rows: Sequence[Sequence[object]], mark: str = ",") -> bytes:
    """A table as text, everything in quotes."""

    def cell(value: object) -> str:
        return '"' + str(value).replace('"', '""') + '"'

    return "\n".join(mark.join(map(cell, row)) for row in [names, *rows]).encode()


def learnable(names: Sequence[str], words: Sequence[str] = ("a", "b"), target: str = "y", rows: int = 24) -> bytes:
    """Numbers under the given names, a column of words, and a target that goes by the first of the numbers."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(rows, len(names)))
    y = numbers[:, 0] + 0.1 * rng.normal(size=rows)
    lot = [words[i % len(words)] for i in range(rows)]
    cells = [[*(f"{x:.4f}" for x in row), word, f"{end:.4f}"] for row, word, end in zip(numbers, lot, y, strict=True)]
    return csv_of([*names, "lot", target], cells)


def column_of(values: Sequence[object], rows: int = 24) -> bytes:
    """One column `x` of given values, again and again, beside a target and a number that tells it."""
    rng = np.random.default_rng(1)
    t = rng.normal(size=rows)
    return csv_of(["x", "t", "y"], [[values[i % len(values)], f"{t[i]:.4f}", f"{2 * t[i]:.3f}"] for i in range(rows)])


def json_lines(*rows: object) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def _flat(**more: object) -> list[dict[str, object]]:
    return [{"t": float(i % 7), "y": float(i), **more} for i in range(14)]


_STRANGE_NAMES = {
    "markup": MARKUP,
    "formulas": FORMULAS,
    "signs": SIGNS,
    "own": OWN,
    "letters": LETTERS,
}

#: Tables that are to be read, strange as they are, and can be learnt: the target is `y`.
READABLE = [
    *(Case(f"names_{kind}.csv", lambda names=names: learnable(names)) for kind, names in _STRANGE_NAMES.items()),
    Case("levels_markup.csv", lambda: learnable(["t"], MARKUP[:4])),
    Case("levels_formulas.csv", lambda: learnable(["t"], FORMULAS[:6])),
    Case("levels_letters.csv", lambda: learnable(["t"], LETTERS[:6])),
    Case("many_levels.csv", lambda: learnable(["t"], [f"level {i}" for i in range(5000)], rows=5000)),
    Case("same_name.csv", lambda: learnable(["a", "a", "a", "a (again)", ""])),
    Case("duplicated_0.csv", lambda: learnable(["a", "a_duplicated_0", "a"])),
    Case("thousand_times_the_same_name.csv", lambda: b",".join([b"a"] * 1000 + [b"y"]) + b"\n" + b"1,2\n3,4\n"),
    Case("ragged.csv", lambda: learnable(["t"]) + b"\n1\n\n\n2,b"),
    Case("broken_utf8.csv", lambda: learnable(["t"], ["Gr\xfcn", "a"]).decode().encode("latin-1")),
    Case("broken_utf8_anew.csv", lambda: learnable(["t"]) + b"\n1,\xed\xa0\x80\xff\xfe,2"),
    Case("utf16.csv", lambda: learnable(["t"], ["Gr\xfcn", "a"]).decode().encode("utf-16")),
    Case("utf16_be.csv", lambda: b"\xfe\xff" + learnable(["t"]).decode().encode("utf-16-be")),
    Case("mark_of_order.csv", lambda: b"\xef\xbb\xbf" + learnable(["t"])),
    Case("old_line_ends.csv", lambda: learnable(["t"]).replace(b"\n", b"\r")),
    Case("carriage_return_in_name.csv", lambda: b"t,a\rb,y\n" + b"1,2,3\n4,5,6\n"),
    Case("blank_lines_first.csv", lambda: b"\n\n" + learnable(["t"])),
    Case("long_integers.csv", lambda: column_of(["9223372036854775808", "-170141183460469231731687303715884105729"])),
    Case("not_numbers.csv", lambda: column_of(["nan", "NaN", "1.5", "-0.0"])),
    Case("constant.csv", lambda: column_of(["7"])),
    Case("all_missing.csv", lambda: column_of([""])),
    Case("mixed.csv", lambda: column_of(["1", "true", "x", "2024-01-01", "1e3", "", "None"])),
    Case("years.csv", lambda: column_of(["0000-01-01", "9999-12-31", "2024-05-31"])),
    Case("no_such_day.csv", lambda: column_of(["2024-02-31", "2024-13-01"])),
    Case("tiny.csv", lambda: column_of(["1e-300", "2e-310", "3e-320"])),
    Case("one_row.csv", lambda: b"t,lot,y\n1,a,2\n"),
    Case("two_rows.csv", lambda: b"t,lot,y\n1,a,2\n2,b,3\n"),
    Case("long_cell.csv", lambda: learnable(["t"]) + b'\n1,"' + b"x" * 3_000_000 + b'",2'),
    Case("long_name.csv", lambda: learnable(["t", "n" * 400_000])),
    Case("mixed.jsonl", lambda: json_lines(*_flat(), {"t": 1, "y": "x"}, {"y": None, "lot": True})),
    Case("long_integers.jsonl", lambda: json_lines(*_flat(x=2**70), {"t": 1, "y": 1, "x": 10**100})),
    Case("lone_half.jsonl", lambda: json_lines(*_flat(x="\ud800"))),
    Case("names.jsonl", lambda: json_lines(*_flat(**{name or "empty": 1.5 for name in (*MARKUP, *OWN)}))),
]

#: What is no table, or too large for one, with words of the refusal.
REFUSED = [
    Case("empty.csv", lambda: b"", "is empty"),
    Case("newline.csv", lambda: b"\n", "is empty"),
    Case("mark_alone.csv", lambda: b"\xef\xbb\xbf\n", "is empty"),
    Case("mark_alone_utf16.csv", lambda: "\ufeff\n \n".encode("utf-16-le"), "is empty"),
    Case("space_of_another_kind.csv", lambda: "\u00a0\n\u2003".encode(), "is empty"),
    Case("header.csv", lambda: b"t,lot,y\n", "no rows"),
    Case("header_without_end.csv", lambda: b"t,lot,y", "no rows"),
    Case("nul.csv", lambda: learnable(["t"]) + b"\x00", "zero bytes"),
    Case("nul_utf16.csv", lambda: "t,y\n1,\x002\n".encode("utf-16"), "zero bytes"),
    Case("half_utf16.csv", lambda: learnable(["t"]).decode().encode("utf-16")[:-1], "no whole UTF-16"),
    Case("more_cells_than_names.csv", lambda: b"t,y\n1,2\n1,2,3,4,5\n", "no table"),
    Case("open_quote.csv", lambda: learnable(["t"]) + b'\n1,"open', "not closed"),
    Case("infinite.csv", lambda: column_of(["1e400", "-1e400", "1"]), "infinite"),
    Case("infinite_words.csv", lambda: column_of(["inf", "-inf", "1.5"]), "infinite"),
    Case("overflowing.csv", lambda: column_of(["1e308", "-1e308", "3"]), "too large"),
    Case("million_columns.csv", lambda: b",".join(b"c%d" % i for i in range(1_000_000)) + b"\n1\n", "columns"),
    Case("million_names_alone.csv", lambda: b"," * 1_000_000, "columns"),
    Case("wide_and_short_lines.csv", lambda: b"," * 4000 + b"\n" + b"1\n" * 1_000_000, "cells"),
    Case("commas.csv.gz", lambda: gzip.compress((b"," * 4000 + b"\n") * 50_000, 1), "cells"),
    Case("pickle.csv", lambda: b"\x80\x04\x95\x1c\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix", "zero bytes"),
    Case("not_gzip.csv.gz", lambda: learnable(["t"]), "no whole gzip"),
    Case("cut.csv.gz", lambda: gzip.compress(learnable(["t"]))[:-9], "no whole gzip"),
    Case("twice.csv.gz.gz", lambda: gzip.compress(gzip.compress(learnable(["t"]))), "ends in none of"),
    Case("deep.jsonl", lambda: b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "no json"),
    Case("deep_open.jsonl", lambda: b'{"a":' * 100_000, "no json"),
    Case("lists.jsonl", lambda: json_lines(*_flat(x=[1, 2])), "lists or structures"),
    Case("structures.jsonl", lambda: json_lines(*_flat(x={"a": {"b": 1}})), "lists or structures"),
    Case("array.jsonl", lambda: b"[1, 2, 3]\n[4, 5, 6]", "no json"),
    Case("number.jsonl", lambda: b"1\n2\n", "no json"),
    Case("new_names_in_every_row.jsonl", lambda: json_lines(*({f"c{i}": i} for i in range(20_000))), "columns"),
    Case("few_rows_of_many_names.jsonl", lambda: json_lines({f"c{i}": i for i in range(100_000)}), "columns"),
    Case("text.jsonl", lambda: b"not json at all", "no json"),
    Case("broken_utf8.jsonl", lambda: b'{"a": "\xff\xfe"}', "no json"),
    Case("unknown.exe", lambda: learnable(["t"]), "ends in none of"),
]
