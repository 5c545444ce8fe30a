"""Run every race, or the ones named on the command line: `python -m benchmarks gaussian_log_density`."""

import importlib
import sys
from pathlib import Path

from benchmarks.race import publish

FOLDER = Path(__file__).parent


def races() -> dict[str, str]:
    """The module of each race by its name: the file without its `bench_`."""
    files = sorted(FOLDER.glob("*/bench_*.py"))
    return {file.stem.removeprefix("bench_"): f"benchmarks.{file.parent.name}.{file.stem}" for file in files}


def main(names: list[str]) -> None:
    known = races()
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"benchmarks: there is no race {', '.join(unknown)}. The races are {', '.join(known)}.")
    for name in names or known:
        publish(name, importlib.import_module(known[name]).race())


if __name__ == "__main__":
    main(sys.argv[1:])
