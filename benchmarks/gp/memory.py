"""Peak memory of a piece of work, native memory included: run in a process of its own and asked of the system."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.race import ROOT

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def resident(what: str = "VmRSS") -> float:
    """Resident memory of this process in MiB: now (`VmRSS`), or the most so far (`VmHWM`)."""
    lines = _STATUS.read_text(encoding="ascii").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"{what}:")) / 1024.0


def peak_beyond_now(work: Callable[[], Any]) -> float:
    """MiB that `work` needs at its peak, beyond what the process holds before it."""
    _CLEAR.write_text("5", encoding="ascii")  # the peak so far is forgotten
    before = resident()
    work()
    return resident("VmHWM") - before


def measured_apart(module: str, *arguments: str) -> float | None:
    """What `python -m module arguments` prints last, a number; None where the system does not tell peaks."""
    if not _CLEAR.exists():
        return None
    command = [sys.executable, "-m", module, *arguments]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return float(output.splitlines()[-1])
