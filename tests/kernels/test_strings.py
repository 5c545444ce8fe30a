"""The spectrum kernel against counts of pieces in plain Python."""

from collections import Counter

import equinox as eqx
import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import Spectrum, strings

WORDS = ["statistics", "statistician", "artist", "is", "", "mississippi", "i", "stat", "tatatatata"]


def as_codes(words):
    return np.array([[ord(c) for c in word] + [-1] * (12 - len(word)) for word in words], dtype=float)


def counted(words, length):
    pieces = [Counter(word[i : i + length] for i in range(len(word) - length + 1)) for word in words]
    return np.array([[sum(a[u] * b[u] for u in a) for b in pieces] for a in pieces], dtype=float)


@pytest.mark.parametrize("length", [1, 3])
def test_counts_pieces_that_two_strings_share(length):
    found = Spectrum(length, 0.5, normalize=False)(as_codes(WORDS))
    np.testing.assert_array_equal(found, 0.5 * counted(WORDS, length))


def test_normalized_to_one_variance_and_zero_for_strings_without_pieces():
    plain = counted(WORDS, 3)
    own = np.sqrt(np.diagonal(plain))
    expected = 0.5 * plain / np.where(own > 0.0, own, 1.0)[:, None] / np.where(own > 0.0, own, 1.0)[None, :]
    found = np.asarray(Spectrum(3, 0.5)(as_codes(WORDS)))
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    np.testing.assert_array_equal(found[4], 0.0)


def test_the_same_in_small_blocks(monkeypatch):
    monkeypatch.setattr(strings, "_BLOCK", 400)  # two strings at a time
    codes = as_codes(WORDS)
    found = eqx.filter_jit(Spectrum(2, normalize=False).cross)(codes, codes)
    np.testing.assert_array_equal(found, counted(WORDS, 2))


def test_more_filling_changes_nothing():
    more = np.hstack([as_codes(WORDS), np.full((len(WORDS), 3), -1.0)])
    np.testing.assert_array_equal(Spectrum(1, normalize=False)(more), counted(WORDS, 1))


def test_what_is_refused():
    with pytest.raises(InputError, match="length=0"):
        Spectrum(0)
    with pytest.raises(InputError, match="X has 2 columns, but the kernel counts pieces of 3 letters"):
        Spectrum(3)(np.zeros((2, 2)))


@pytest.mark.parametrize("value", [0.5, -2.0])
def test_what_is_not_a_letter_is_refused(value):
    with pytest.raises(
        InputError, match=rf"Spectrum: {value:g} is not the code of a letter.*and -1 behind the last letter"
    ):
        Spectrum(2)([[0.0, 1.0, value]])
