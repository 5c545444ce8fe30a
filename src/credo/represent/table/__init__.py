"""Tables and what their columns mean."""

from credo.represent.table.blocks import Block, LevelsBlock, MomentsBlock, NumbersBlock, OrderBlock
from credo.represent.table.column import Column
from credo.represent.table.dialect import Dialect
from credo.represent.table.encoder import TableEncoder
from credo.represent.table.flags import Flag
from credo.represent.table.moments import MomentForm
from credo.represent.table.read import Limits
from credo.represent.table.scales import SCALES, Scale, allows
from credo.represent.table.table import Table
from credo.represent.table.texts import NumberForm
from credo.represent.table.write import safe_cell, write_csv

__all__ = [
    "SCALES",
    "Block",
    "Column",
    "Dialect",
    "Flag",
    "LevelsBlock",
    "Limits",
    "MomentForm",
    "MomentsBlock",
    "NumberForm",
    "NumbersBlock",
    "OrderBlock",
    "Scale",
    "Table",
    "TableEncoder",
    "allows",
    "safe_cell",
    "write_csv",
]
