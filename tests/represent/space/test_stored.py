"""Documents: what was written is read again, through JSON; a stranger's document is a space or an error."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.errors import FileError, InputError
from credo.represent.space import Choice, Integer, Linear, Real, Space

SPACE = Space(
    {
        "Feed rate (L/min)": Real(0.1, 5),
        "model": Choice("tree", None, 3.5, True),
        "depth": Integer(1, 12, log=True, when={"model": ("tree", True)}),
        "grade": Choice("low", "high", ordered=True),
    },
    [Linear({"Feed rate (L/min)": 1.0, "depth": -2.5}, most=3.0)],
    reasons={"grade": "seen so", "lot": "left out"},
).fixed(grade="low")


def test_round_trip_through_json():
    back = Space.from_dict(json.loads(json.dumps(SPACE.to_dict())))
    assert back == SPACE
    assert str(back) == str(SPACE)
    assert repr(back) == repr(SPACE)
    assert [type(o) for o in back.parameters["model"].options] == [str, type(None), float, bool]


def test_what_cannot_be_stored_is_named():
    def heavy(point):
        return True

    with pytest.raises(InputError, match=r"heavy is a function"):
        Space({"a": Real(0, 1)}, [heavy]).to_dict()
    with pytest.raises(InputError, match=r"value \(1, 2\) of 'z'"):
        Space({"z": Choice((1, 2), 3)}).to_dict()
    with pytest.raises(InputError, match="value inf of 'z'"):
        Space({"z": Choice(np.inf, 3)}).to_dict()
    assert json.dumps(Space({"z": Choice(np.float64(1.5), np.int64(3))}).to_dict())


def changed(path, value):
    document = copy.deepcopy(SPACE.to_dict())
    at = document
    for step in path[:-1]:
        at = at[step]
    if value is KeyError:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["format"], "other"),
        (["version"], 2),
        (["version"], True),
        (["parameters"], KeyError),
        (["surplus"], 1),
        (["parameters"], {}),
        (["parameters"], []),
        (["parameters", 0], 3),
        (["parameters", 0, "kind"], "complex"),
        (["parameters", 0, "kind"], ["real"]),
        (["parameters", 0, "surplus"], 1),
        (["parameters", 0, "name"], 3),
        (["parameters", 0, "name"], "model"),
        (["parameters", 0, "low"], "0"),
        (["parameters", 0, "low"], 9.0),
        (["parameters", 0, "high"], float("inf")),
        (["parameters", 0, "log"], 1),
        (["parameters", 1, "options"], "ab"),
        (["parameters", 1, "options"], [["a"], "b"]),
        (["parameters", 1, "options", 0], float("nan")),
        (["parameters", 1, "options"], ["tree"]),
        (["parameters", 1, "ordered"], "no"),
        (["parameters", 2, "when"], {"model": "tree"}),
        (["parameters", 2, "when", 0, 0], "nobody"),
        (["parameters", 2, "when", 0, 1], ["net"]),
        (["parameters", 2, "when"], [["model", ["tree"]], ["model", ["tree"]]]),
        (["constraints", 0, "weights"], []),
        (["constraints", 0, "weights"], {"nobody": 1.0}),
        (["constraints", 0, "most"], "3"),
        (["constraints", 0, "most"], KeyError),
        (["constraints", 0], "a <= 1"),
        (["fixed"], [["grade", "top"]]),
        (["fixed"], [["nobody", 1]]),
        (["fixed"], {"grade": "low"}),
        (["fixed"], [["grade"]]),
        (["reasons"], {"a": 3}),
        (["parameters"], [{}] * 10_001),
    ],
)
def test_altered_documents(path, value):
    with pytest.raises(FileError, match=r"Space\.from_dict"):
        Space.from_dict(changed(path, value))


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PATHS = [
    *(["format"], ["version"], ["parameters"], ["constraints"], ["fixed"], ["reasons"], ["parameters", 0]),
    *(["parameters", 0, key] for key in ("name", "low", "high", "log", "when")),
    *(["parameters", 1, "options"], ["parameters", 2, "when"], ["constraints", 0], ["constraints", 0, "weights"]),
    *(["constraints", 0, "most"], ["fixed", 0], ["fixed", 0, 1]),
]


@given(st.sampled_from(PATHS), JSON)
def test_any_document_is_a_space_or_an_error(path, value):
    try:
        space = Space.from_dict(changed(path, value))
    except FileError:
        return
    assert Space.from_dict(space.to_dict()) == space


@given(JSON)
def test_anything_else_is_refused(document):
    with pytest.raises(FileError, match="exactly"):
        Space.from_dict(document)
