"""Tables and what their columns mean."""

from credo.represent.table.column import Column
from credo.represent.table.encoder import TableEncoder
from credo.represent.table.flags import Flag
from credo.represent.table.read import Limits
from credo.represent.table.scales import SCALES, Scale, allows
from credo.represent.table.table import Table

__all__ = ["SCALES", "Column", "Flag", "Limits", "Scale", "Table", "TableEncoder", "allows"]
