"""The gain of choosing among lines: the envelope against all pairs, the value against integration."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from credo.decide.actions import Absolute, LinearLoss, Squared
from credo.decide.actions.lines import gain_of_lines, lines_of, lower_envelope

NUMBERS = st.integers(-20, 20).map(lambda k: k / 4.0)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=7))
def test_the_envelope_is_the_lowest_line_everywhere(lines):
    c, d = np.array(lines).T
    places, falls = lower_envelope(c, d)
    assert np.all(np.diff(places) > 0)
    assert np.all(falls > 0)
    x = np.linspace(-60.0, 60.0, 1201)
    lowest = np.min(c[:, None] + d[:, None] * x, axis=0)
    rebuilt = lowest[0] + np.max(d) * (x - x[0]) - np.sum(falls[:, None] * np.maximum(x - places[:, None], 0.0), axis=0)
    inside = np.all(np.abs(places) < 60.0)
    assert not inside or np.allclose(rebuilt, lowest)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=5), NUMBERS, st.integers(1, 8))
def test_the_gain_against_integration(lines, mean, scale):
    c, d = np.array(lines).T
    edges = np.unique(np.clip(lower_envelope(c, d)[0], mean - 9 * scale, mean + 9 * scale))
    edges = np.concatenate([[mean - 10 * scale], edges, [mean + 10 * scale]])
    pdf = stats.norm(mean, scale).pdf
    lowest = lambda x: np.min(c[:, None] + d[:, None] * x, axis=0) * pdf(x)  # noqa: E731
    pieces = [
        integrate.fixed_quad(lowest, a, b, n=40)[0]
        for low, high in pairwise(edges)
        for a, b in pairwise(np.linspace(low, high, 9))
    ]
    truth = np.min(c + d * mean) - np.sum(pieces)
    np.testing.assert_allclose(gain_of_lines(c, d, np.array(mean), np.array(float(scale))), truth, atol=1e-8)


def test_losses_as_lines():
    c, d = lines_of(Squared(), [1.0, 3.0])
    y = np.linspace(-2.0, 5.0, 9)
    np.testing.assert_allclose(np.diff(c[:, None] + d[:, None] * y, axis=0)[0], (y - 3.0) ** 2 - (y - 1.0) ** 2)
    assert [part.tolist() for part in lines_of(LinearLoss([0.0, 1.0], [2.0, 3.0]), (0, 1))] == [[0.0, 1.0], [2.0, 3.0]]
    assert lines_of(Absolute(), [1.0]) is None
