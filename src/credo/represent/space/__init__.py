"""Search spaces: what can be chosen, between which bounds, under which constraints, and how a surrogate sees it."""

from credo.represent.space.choice import Choice
from credo.represent.space.constraints import Constraint
from credo.represent.space.linear import Linear
from credo.represent.space.parameter import ColumnKind, Parameter
from credo.represent.space.ranges import Integer, Real
from credo.represent.space.space import Space

__all__ = ["Choice", "ColumnKind", "Constraint", "Integer", "Linear", "Parameter", "Real", "Space"]
