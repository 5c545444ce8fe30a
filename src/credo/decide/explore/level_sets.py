"""Where it is not known yet on which side of a level a function lies."""

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from credo.errors import InputError

__all__ = ["level_set_targets"]


def level_set_targets(model: Any, X: Any, level: float, probability: float = 0.95) -> Any:
    r"""The rows of X where neither $P(f > h)$ nor $P(f < h)$ reaches `probability`: the targets of a level set.

    With these as targets an [](#credo.decide.Explorer) learns where a function is above a level h, and nothing else
    (level set estimation: Gotovos et al. 2013). The probability is of each row by itself, under a model with
    `posterior`. Rows in the kind of table that X is; none when every side is known, and then the search is over.

    >>> import numpy as np
    >>> from credo.models import GPRegressor
    >>> X = np.linspace(0.0, 10.0, 11)[:, None]
    >>> model = GPRegressor(random_state=0).fit(X, X[:, 0])
    >>> level_set_targets(model, np.array([[1.0], [5.0], [9.0]]), level=5.0).tolist()
    [[5.0]]
    """
    if not 0.5 < probability < 1.0:
        raise InputError("level_set_targets", f"probability={probability}", "", "Try a number between 0.5 and 1")
    if not np.isfinite(level):
        raise InputError("level_set_targets", f"level={level}", "A level is a finite number", "Try level=0.0")
    if not hasattr(model, "posterior"):
        raise InputError(
            "level_set_targets", f"{type(model).__name__} has no posterior", "", "Pass a fitted GPRegressor"
        )
    below = np.asarray(model.posterior(X).cdf(level))
    return _safe_indexing(X, np.flatnonzero(np.maximum(below, 1.0 - below) < probability))
