"""What a safe study is given, checked when it begins."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from credo.decide.study.goal import Goal
from credo.errors import InputError
from credo.models import GPRegressor
from credo.represent.space import Space

__all__ = ["checked_seeds", "safe_goal", "surrogates_by_outcome"]


def safe_goal(direction: Any, safety: Any) -> Goal:
    """One objective, and at least one bound."""
    goal = Goal.of(direction, safety)
    if not goal.bounds or len(goal.objectives) > 1:
        raise InputError(
            "SafeStudy",
            f"safety={safety!r} with {len(goal.objectives)} objectives",
            "Safe is what keeps bounds on outcomes while one objective becomes better",
            'Try safety=["temperature <= 80"], or ["value >= 0"] for the objective itself',
        )
    return goal


def checked_seeds(space: Space, seeds: Any) -> Float[np.ndarray, "k d"]:
    """The encoded rows of points that are said to be safe: at least one, all in the space."""
    points = list(seeds) if isinstance(seeds, (list, tuple)) else seeds
    if points is None or not len(points):
        raise InputError(
            "SafeStudy",
            "there are no seeds",
            "Without a point that is known to be safe there is nowhere to begin",
            "Pass at least one, for example where the plant runs now",
        )
    listed = points if isinstance(points, list) else space.decode(space.encode(points))
    for point in listed:
        reason = space.why_not(point) if isinstance(point, Mapping) else f"{point!r} is no mapping"
        if reason is not None:
            raise InputError("SafeStudy", f"a seed is not in the space: {reason}", "", "Correct it, or the space")
    return space.encode(points)


def surrogates_by_outcome(surrogate: Any, names: tuple[str, ...]) -> dict[str, GPRegressor]:
    """The surrogate of each outcome that has one given."""
    if surrogate is None:
        return {}
    given = surrogate if isinstance(surrogate, Mapping) else dict.fromkeys(names, surrogate)
    for name, model in given.items():
        if name not in names or not isinstance(model, GPRegressor):
            raise InputError(
                "SafeStudy",
                f"the surrogate of {name!r} is {model!r}",
                f"Outcomes are {', '.join(names)}, and a surrogate is a GPRegressor",
                "Pass one GPRegressor, or one for each outcome",
            )
        if model.inference in ("mcmc", "nuts"):
            raise InputError(
                "SafeStudy",
                f"the surrogate of {name!r} has inference={model.inference!r}",
                "Information has a closed form for one set of parameters",
                'Try inference="map"',
            )
    return dict(given)
