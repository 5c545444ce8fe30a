"""From a table to a model that can be trusted, and the words for it."""

from credo.decide.learning.count_spread import CountSpread
from credo.decide.learning.explain import Explanation, explain
from credo.decide.learning.learn import learn
from credo.decide.learning.learned import Learned
from credo.decide.learning.log_spread import LogSpread
from credo.decide.learning.model import TableModel
from credo.decide.learning.on_table import OnTable
from credo.decide.learning.question import Question
from credo.decide.learning.sharpness import Sharpness
from credo.decide.learning.spread import Spread
from credo.decide.learning.surroundings import Surroundings

__all__ = [
    "CountSpread",
    "Explanation",
    "Learned",
    "LogSpread",
    "OnTable",
    "Question",
    "Sharpness",
    "Spread",
    "Surroundings",
    "TableModel",
    "explain",
    "learn",
]
