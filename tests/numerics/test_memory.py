"""Inside the context a freed block is taken again without page faults; afterwards the process is as small as before."""

import os
import resource
import subprocess
import sys

import numpy as np
import pytest

from credo.numerics.memory import KeptMemory, _library, physical_memory

pytestmark = pytest.mark.skipif(_library() is None, reason="the C library is not glibc")

BLOCK = 2**23  # numbers: 64 MiB


def faults(repeats=4):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(repeats):
        np.ones(BLOCK)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def report():
    """Faults outside and inside, and how much larger the process is in the end."""
    np.ones(BLOCK)
    start = resident()
    outside = faults()
    with KeptMemory():
        faults(1)
        inside = faults()
        with KeptMemory():
            pass
        still_inside = faults()
    print(outside, inside, still_inside, resident() - start)


def test_freed_memory_is_taken_again_and_given_back_at_the_end():
    # In a process of its own: what other tests have left in the heap decides where a block lies.
    said = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True).stdout
    outside, inside, still_inside, growth = (int(number) for number in said.split())
    assert outside > 100
    assert inside < outside / 10
    assert still_inside < outside / 10
    assert growth < 8 * BLOCK / 2


if __name__ == "__main__":
    report()


def test_memory_of_this_machine_is_known_or_not(monkeypatch):
    assert physical_memory() > 1e8

    def refuse(name):
        raise ValueError(name)

    monkeypatch.setattr(os, "sysconf", refuse)
    assert physical_memory() is None
