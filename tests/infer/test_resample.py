import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.resample import folds


@pytest.mark.parametrize(("n", "count"), [(10, 3), (7, 7), (100, 5)])
def test_every_row_is_held_out_once(n, count):
    held = folds(n, count)
    np.testing.assert_array_equal(held.sum(axis=0), 1)
    assert np.ptp(held.sum(axis=1)) <= 1
    np.testing.assert_array_equal(held, folds(n, count, 0))
    assert count == n or not np.array_equal(held, folds(n, count, 1))


@pytest.mark.parametrize(("n", "count"), [(3, 4), (3, 1)])
def test_impossible_folds_are_refused(n, count):
    with pytest.raises(InputError, match="folds"):
        folds(n, count)
