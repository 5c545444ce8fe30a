"""A space as a table that a person can read."""

from collections.abc import Mapping, Sequence
from typing import Any

from credo.represent.space.constraints import name_of
from credo.represent.space.linear import Linear
from credo.represent.space.parameter import Parameter
from credo.represent.text import aligned

__all__ = ["table_of"]


def table_of(
    parameters: Mapping[str, Parameter],
    constraints: Sequence[Any],
    fixed: Mapping[str, Any],
    reasons: Mapping[str, str],
) -> str:
    """One line a parameter; a column of the table that would be empty is left out."""
    head = ["name", "kind", "values", "active when", "held at", "why"]
    lines = [
        [
            name,
            p.kind_in_words + (", ordered" if getattr(p, "ordered", False) else ""),
            p.values_in_words,
            " and ".join(f"{parent} is {' or '.join(map(repr, values))}" for parent, values in p.when.items()),
            repr(fixed[name]) if name in fixed else "",
            reasons.get(name, ""),
        ]
        for name, p in parameters.items()
    ]
    filled = [j for j in range(len(head)) if any(line[j] for line in lines)]
    text = aligned([[line[j] for j in filled] for line in [head, *lines]])
    said = [str(c) if isinstance(c, Linear) else name_of(c).removeprefix("the constraint ") for c in constraints]
    text += [f"such that {line}" for line in said]
    text += [f"left out: {name} ({reason})" for name, reason in reasons.items() if name not in parameters]
    return "\n".join(text)
