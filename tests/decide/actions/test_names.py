import numpy as np
import pytest

from credo.decide.actions import Absolute, Pinball, Squared, ZeroOne
from credo.decide.actions.names import as_loss
from credo.errors import InputError


def test_names_objects_and_functions():
    assert as_loss("squared") == Squared()
    assert as_loss("absolute") == Absolute()
    assert as_loss("zero_one") == ZeroOne()
    assert as_loss(Pinball(0.3)) == Pinball(0.3)
    np.testing.assert_array_equal(as_loss(lambda a, y: a * y).of(2.0, np.array([1.0, 2.0])), [2.0, 4.0])


@pytest.mark.parametrize("loss", ["pinball", "huber", 3, None, Squared])
def test_what_is_no_loss(loss):
    with pytest.raises(InputError, match="is no loss"):
        as_loss(loss)
