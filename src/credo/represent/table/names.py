"""Names of columns as strangers write them: each there, each once, none longer than can be shown."""

from collections.abc import Sequence

__all__ = ["LONGEST", "distinct_names"]

#: Letters of a name.
LONGEST = 200


def distinct_names(header: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """A name for every column, each once; notes on those that were made.

    >>> distinct_names(["t", "", "t", "t"])[0]
    ['t', 'column 2', 't (again)', 't (again 2)']
    """
    taken: set[str] = set()
    times: dict[str, int] = {}
    names: list[str] = []
    notes: list[str] = []
    for j, given in enumerate(header):
        said = given.strip()
        wanted = f"{said[: LONGEST - 1]}…" if len(said) > LONGEST else said or f"column {j + 1}"
        name = wanted
        while name in taken:
            times[wanted] = times.get(wanted, 0) + 1
            name = f"{wanted} (again)" if times[wanted] == 1 else f"{wanted} (again {times[wanted]})"
        if name != said:
            why = "missing" if not said else "very long" if len(said) > LONGEST else "taken"
            notes.append(f"column {j + 1} is called {name!r}: its name was {why}")
        taken.add(name)
        names.append(name)
    return names, tuple(notes)
