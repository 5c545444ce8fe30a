"""Sums of losses against the sums written out, also where a loss is infinite."""

import numpy as np
import pytest

from credo.validate.tally import Sums, Tally

RNG = np.random.default_rng(0)
COUNTS = RNG.multinomial(8, np.full(8, 1 / 8), size=5).astype(float)
HELD = COUNTS == 0.0


@pytest.mark.parametrize("below", [None, RNG.random((5, 8))])
def test_sums_are_those_written_out(below):
    above = RNG.random((5, 8))
    tally = Sums(COUNTS, HELD, "bootstrap").of((above, below))
    for i, part in enumerate((above, np.ones((5, 8)) if below is None else below)):
        for b in range(5):
            assert tally.refits[i, b] == pytest.approx(sum(part[b, j] for j in range(8) if HELD[b, j]))
            assert tally.everywhere[i, b] == pytest.approx(sum(part[b]))
            assert tally.inside[i, b] == pytest.approx(sum(COUNTS[b, j] * part[b, j] for j in range(8)))
        for j in range(8):
            assert tally.rows[i, j] == pytest.approx(sum(part[b, j] for b in range(5) if HELD[b, j]))
            assert tally.moved[i, j] == pytest.approx(sum(tally.refits[i, b] * COUNTS[b, j] for b in range(5)))


def test_an_infinite_loss_counts_only_where_it_was_held_out():
    above = np.ones((5, 8))
    above[0, np.flatnonzero(~HELD[0])[0]] = np.inf
    above[1, np.flatnonzero(HELD[1])[0]] = np.inf
    found = Sums(COUNTS, HELD, "folds").of((above, None)).refits[0]
    assert np.isfinite(found).tolist() == [True, False, True, True, True]


def test_pieces_add_up_to_the_whole():
    above, kept = RNG.random((5, 8)), Tally.zeros(8, 5)
    for piece in (slice(0, 2), slice(2, 5)):
        kept.add(Sums(COUNTS[piece], HELD[piece], "nested").of((above[piece], None)), piece)
    whole = Sums(COUNTS, HELD, "nested").of((above, None))
    np.testing.assert_allclose(kept.rows, whole.rows)
    np.testing.assert_allclose(kept.refits, whole.refits)
    assert [rows.tolist() for rows, _ in kept.losses] == [np.flatnonzero(out).tolist() for out in HELD]
