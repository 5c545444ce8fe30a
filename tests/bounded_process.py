"""Programs in a process of their own that may take so much memory and time, for files that want more."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

#: What a process may map, and what it may really hold.
ADDRESSES, HELD = 5 * 2**30, 1.6 * 2**30

_BEGIN = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({ADDRESSES}, {ADDRESSES}))\n"


class Ended(NamedTuple):
    """How a process ended: its code, what it wrote, and the most memory it held, in bytes."""

    code: int
    out: str
    err: str
    peak: int


def run_bounded(program: str, *arguments: object, seconds: float = 120.0) -> Ended:
    """Run a program text of Python; one that takes longer is killed, and that is an error of the test."""
    tests = str(Path(__file__).parent)
    environment = {**os.environ, "PYTHONPATH": tests, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _BEGIN + program, *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", env=environment
    ) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        finally:
            process.kill()
    return Ended(process.returncode, out, err, _peak_of(err))


def _peak_of(err: str) -> int:
    told = [line for line in err.splitlines() if line.startswith("peak ")]
    return int(told[-1].split()[1]) if told else 0


def tell_peak() -> None:
    """In the program, at its end: the most memory it held (`ru_maxrss` could be that of its parent)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    print("peak", peak * 1024, file=sys.stderr, flush=True)
