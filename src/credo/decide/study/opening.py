"""A study that is stored, opened by its name alone: whoever has the storage can go on with it."""

import os
from typing import Any

from credo.decide.storage import Storage, storage_from
from credo.decide.study.base import LEASE
from credo.decide.study.study import Study
from credo.errors import InputError
from credo.represent.space import Space

__all__ = ["open_study"]

_CODE = {"surrogate": "its surrogate", "cost function": "its cost"}  # parts of a definition that may be code
_SETTINGS = ("acquisition", "initial", "context", "fidelity", "robust", "region", "reference", "outcome_constraints")


def open_study(name: str, storage: Storage | str | os.PathLike[str], *, lease: float = LEASE) -> Study:
    """The study of that name, as it was defined. A file that is not there is not made.

    What is stored is data: a study whose constraints, cost or surrogate are Python's objects is opened by the program
    that has them, with `Study(space, …, name=name)`.

    >>> import tempfile, os
    >>> from credo.represent.space import Real
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "study.db")
    ...     made = Study(Space({"x": Real(0, 4)}), storage=path, name="first", random_state=0)
    ...     opened = open_study("first", path)
    ...     list(opened.space), opened.direction
    (['x'], 'minimize')
    """
    where = storage_from(storage, make=False)
    definition = dict(where.load_study(name).definition)
    code = [words for key, words in _CODE.items() if definition.get(key) is not None]
    space = definition.get("space") or {}
    code += ["a constraint"] * any("function" in part for part in space.get("constraints", ()))
    if code or not space:
        what = f"study {name!r} cannot be opened by its name" if code else f"study {name!r} has no name of its own"
        cause = f"{code[0].capitalize()} is a Python object, which is not stored" if code else "It was made without one"
        raise InputError("open_study", what, cause, "Open it in Python: Study(space, …, storage=…, name=…)")
    cost: Any = definition.get("cost")
    settings = {key: definition[key] for key in _SETTINGS if key in definition}
    return Study(
        Space.from_dict(space),
        direction=definition["direction"],
        cost=cost,
        storage=where,
        name=name,
        lease=lease,
        **settings,
    )
