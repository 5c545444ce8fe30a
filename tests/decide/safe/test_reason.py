"""Reasons in words, and there and back through JSON."""

import json
import re

import pytest

from credo.decide.safe import SafeWhy


def test_there_and_back_through_json():
    why = SafeWhy("learn", 0.99, 0.4, 1.2, 0.1, 0.3, "itl", 7, ("heat: overconfident",), {"heat": [0.1, 0.2]})
    assert SafeWhy.from_dict(json.loads(json.dumps(why.to_dict()))) == why
    assert SafeWhy.from_dict({"of another version": 1}) == SafeWhy("given")


@pytest.mark.parametrize(
    ("reason", "strategy", "words"),
    [
        ("learn", "itl", "tells 0.4 nats"),
        ("learn", "vtl", "least variance"),
        ("learn", "safeopt", r"widest interval \(0.4\)"),
        ("repeat", "itl", "no other point"),
        ("seed", None, "said to be safe"),
        ("given", None, "a past run"),
    ],
)
def test_words(reason, strategy, words):
    why = SafeWhy(reason, 0.99, 0.4, 1.2, 0.1, 0.3, strategy, notes=("heat: overconfident",))
    text = str(why)
    assert re.search(words, text)
    assert ("99.0%" in text and "heat: overconfident" in text) == (strategy is not None)
