"""The printed space."""

from credo.represent.space import Choice, Integer, Real, Space


def allowed(point):
    return True


def test_every_part_is_said_once():
    space = Space(
        {
            "Feed rate (L/min)": Real(0.1, 5),
            "grade": Choice("low", "high", ordered=True),
            "steps": Integer(1, 12, log=True, when={"grade": "low"}),
        },
        ["'Feed rate (L/min)' >= 1", allowed],
        reasons={"steps": "seen so", "lot": "a name"},
    ).fixed(grade="low")
    assert str(space).splitlines() == [
        "name               kind             values              active when     held at  why",
        "Feed rate (L/min)  Real             0.1 to 5",
        "grade              Choice, ordered  'low', 'high'                       'low'",
        "steps              Integer          1 to 12, log scale  grade is 'low'           seen so",
        'such that "Feed rate (L/min)" >= 1',
        "such that allowed",
        "left out: lot (a name)",
    ]


def test_empty_columns_are_left_out():
    assert str(Space({"x": Real(0, 1)})) == "name  kind  values\nx     Real  0 to 1"
