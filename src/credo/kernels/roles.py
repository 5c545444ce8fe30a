"""What the columns of points are to a kernel: numbers, codes, or variances of other columns."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from credo.errors import InputError

__all__ = ["CODE", "NUMBER", "Role", "Roles", "merged", "moved"]


class Role(NamedTuple):
    """How a kernel reads a column.

    A ``"number"`` may be shifted and scaled. A ``"code"`` is a name (a category, a letter, a node, an output) and stays
    as it is. An ``"uncertain"`` number has its variance in the column `partner`, and a ``"variance"`` is that of the
    column `partner`: its unit is the square of that column's unit.
    """

    kind: Literal["number", "code", "uncertain", "variance"]
    partner: int | None = None

    def __str__(self) -> str:
        if self.kind == "variance":
            return f"the variance of column {self.partner}"
        return {"number": "a number", "code": "a code", "uncertain": "a number with a variance"}[self.kind]


#: Of each column; None for a column that the kernel does not read.
Roles = tuple[Role | None, ...]

NUMBER, CODE = Role("number"), Role("code")


def merged(each: Sequence[Roles], who: str) -> Roles:
    """The roles of the same columns in several kernels together; refused where two of them disagree.

    >>> merged([(NUMBER, None), (None, CODE)], "k")
    (Role(kind='number', partner=None), Role(kind='code', partner=None))
    """
    return tuple(_agreed(j, column, who) for j, column in enumerate(zip(*each, strict=True)))


def _agreed(j: int, column: tuple[Role | None, ...], who: str) -> Role | None:
    distinct = list(dict.fromkeys(role for role in column if role is not None))
    if len(distinct) > 1:
        raise InputError(
            who,
            f"the kernel reads column {j} both as {distinct[0]} and as {distinct[1]}",
            "Two of its parts look at the same column",
            "Give each its own columns, as in On(RBF(), [0]) * On(Hamming(), [1]); repeat a column that is both",
        )
    return distinct[0] if distinct else None


def moved(roles: Roles, columns: Sequence[int], d: int, who: str) -> Roles:
    """The roles of some columns among d, given those of the columns alone and where each of them is.

    >>> moved((Role("uncertain", 1), Role("variance", 0)), [2, 0], 3, "k")[0]
    Role(kind='variance', partner=2)
    """
    places = [column % d for column in columns]
    each = []
    for place, role in zip(places, roles, strict=True):
        if role is not None and role.partner is not None:
            role = role._replace(partner=places[role.partner])
        each.append((*[None] * place, role, *[None] * (d - place - 1)))
    return merged(each, who)
