"""What is too large is refused with the figures."""

import io

import pytest

from credo.errors import TooLargeError
from credo.represent.table.limits import Limits, require_cells, require_unpacked, within

SMALL = Limits(bytes=10, unpacked=10, rows=10, columns=10, cells=50)


def test_up_to_the_limits_and_no_further():
    require_cells(10, 5, SMALL)
    require_unpacked(10, SMALL)
    for rows, columns, why in ((11, 1, "11 rows"), (1, 11, "11 columns"), (10, 6, "10 rows of 6 cells")):
        with pytest.raises(TooLargeError, match=why):
            require_cells(rows, columns, SMALL)
    with pytest.raises(TooLargeError, match="unpacks to more"):
        require_unpacked(11, SMALL)


def test_a_stream_ends_at_the_limit():
    assert b"".join(within(io.BytesIO(b"x" * 10), SMALL)) == b"x" * 10
    with pytest.raises(TooLargeError, match="At most 10 bytes"):
        list(within(io.BytesIO(b"x" * 11), SMALL))


def test_limits_are_advised_where_they_can_be_passed():
    with pytest.raises(TooLargeError, match="pass limits="):
        require_cells(11, 1, SMALL)
    with pytest.raises(TooLargeError, match=r"^Me: .* Take a part of it\.$"):
        require_cells(11, 1, SMALL, "Me")
