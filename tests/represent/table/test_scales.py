"""What makes sense on which scale."""

from itertools import pairwise

import pytest

from credo.errors import InputError
from credo.represent.table.scales import SCALES, allows, require_operation


def test_each_scale_allows_what_those_below_it_do():
    """Nominal, ordinal, interval, ratio, absolute: ever more makes sense."""
    operations = ("order", "difference", "mean", "ratio", "log", "count")
    allowed = [{op for op in operations if allows(scale, op)} for scale in SCALES[:5]]
    assert all(low <= high for low, high in pairwise(allowed))
    assert allowed[0] == set()
    assert allowed[4] == set(operations)


def test_what_makes_no_sense_is_refused_with_the_reason():
    with pytest.raises(InputError, match=r"the log of 'temperature', which is interval\. Its differences mean"):
        require_operation("me", "temperature", "interval", "log")
    require_operation("me", "length", "ratio", "log")
