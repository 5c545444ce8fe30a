"""`SafeStudy`: the best point while every query is safe with a stated probability."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.beliefs import Normal
from credo.decide.safe.outcomes import Outcome, unsafe_probability
from credo.decide.safe.plan import Plan, Seen, Strategy
from credo.decide.safe.reason import SafeWhy
from credo.decide.safe.settings import checked_seeds, safe_goal, surrogates_by_outcome
from credo.decide.safe.suggest import SafeSuggestion, is_still_safe, learned, suggest_safely
from credo.decide.storage import Storage, TrialRecord
from credo.decide.study.base import LEASE, StoredStudy
from credo.decide.study.known import outcomes_of, standing_at
from credo.decide.study.trial import Trial
from credo.errors import InputError
from credo.models import GPRegressor
from credo.numerics.concrete import placed
from credo.represent.space import Space

__all__ = ["SafeStudy"]

_FORMAT = 1  # of the definition that is stored
_EVEN = 2048  # candidates all over the space
_WITHDRAWN = "withdrawn: it came back, and is not safe any more under what was measured meanwhile"
_STRATEGIES: tuple[Strategy, ...] = ("itl", "vtl", "safeopt")


@final
class SafeStudy(StoredStudy):
    r"""Finds the best point of a space while every query keeps bounds on outcomes with a stated probability.

    Each outcome has a Gaussian-process surrogate. Safe is a point where the probabilities of breaking the bounds add up
    to at most $\delta = 1 -$ `probability` (pessimistic); of these the one is measured that tells most, by an
    [](#credo.decide.Explorer), about all outcomes where the best may be: where every bound may hold and the objective
    may be better than the best that is sure (Hübotter et al. 2024).

    What is promised: each query by itself breaks a bound with probability at most δ, under the surrogates, whatever
    was measured before, since the query is chosen from what the probability is conditioned on. It is a promise about
    the outcomes without measurement noise. What is not: that no query of many breaks one (n queries may break n δ on
    average).

    What is assumed, unless a surrogate is given: a Matérn-5/2 process whose level, length-scales, amplitude and noise
    are unknown, so the probability is an average over them. The unit of the amplitude is the distance of what was
    measured to the bound, since one value has no other: a bound is taken to be one that may be broken. And the outcome
    may change its behavior, as at a cliff, at a rate for each unit of length that is unknown, too; the probability of a
    change before the nearest measurement is added. So the first step from a single point is about 2 % of a range at
    95 %, and steps grow as more is explored. Where settings are further apart (coarse steps, choices) a single seed
    allows none, which the reason of the trial states: pass several seeds, or a known surrogate. The promise fails at
    first where an outcome varies faster than that near a seed that is near the bound. With a single parameter, a search
    toward a cliff crosses it once, which exceeds 5 % when there are few queries. A known process is better than a
    learned one: pass it.

    Intervals are audited at every ask: measurements are predicted from all others, and where coverage falls short by
    more than chance, intervals are widened by the factor that the errors require, which the reason of the trial
    states. An audit sees failures where measurements are, not beyond.

    On 50 functions of two parameters drawn from a process, 30 queries each at 95 %: 1.9 % of the queries were unsafe
    with the right surrogate and 4.7 % with a length-scale twice too long (without audit and by SafeOpt 17 %).
    Candidates are 2048 points all over the space and some hundred around the best and the latest trials; an ask costs
    O(n³ + n² m) for m candidates and compiles nothing for a further trial.

    Parameters
    ----------
    space : Space
    safety : list of str
        Bounds on outcomes, such as ``"temperature <= 80"``, also on the objective, which is ``"value"`` unless
        `direction` names it. Outcomes are told by name.
    seeds : list of points
        Points that are known to be safe: at least one. They are measured first.
    direction : "minimize", "maximize", or a mapping of one name to these
    probability : float
        With which a query is safe.
    surrogate : GPRegressor or mapping from outcomes to them, optional
        On rows of the encoding (0 to 1 for numbers) and values as told. It is taken as it is: its parameters are not
        averaged over, and no change is expected. By default learned, as assumed above.
    strategy : "itl", "vtl" or "safeopt"
        What is measured among what is safe: most information, least remaining variance, or the baseline SafeOpt.
    audit : bool
        Whether intervals are audited and widened.
    storage, name, lease, random_state
        As for [](#credo.decide.Study).

    Examples
    --------
    >>> from credo.represent.space import Real, Space
    >>> study = SafeStudy(Space({"x": Real(0, 4)}), safety=["heat <= 6"], seeds=[{"x": 0.5}], random_state=0)
    >>> for _ in range(12):
    ...     trial = study.ask()
    ...     x = trial.params["x"]
    ...     accepted = study.tell(trial, {"value": (x - 3.0) ** 2, "heat": 2.5 * x})
    >>> 2.0 < study.best.params["x"] < 2.4
    True
    >>> all(trial.values["heat"] <= 6 for trial in study.trials)
    True
    """

    _reasons = SafeWhy

    def __init__(
        self,
        space: Space,
        *,
        safety: Sequence[str],
        seeds: Any,
        direction: str | Mapping[str, str] = "minimize",
        probability: float = 0.95,
        surrogate: GPRegressor | Mapping[str, GPRegressor] | None = None,
        strategy: str = "itl",
        audit: bool = True,
        storage: Storage | str | os.PathLike[str] | None = None,
        name: str | None = None,
        lease: float = LEASE,
        random_state: Any = None,
    ) -> None:
        if strategy not in _STRATEGIES:
            raise InputError("SafeStudy", f"strategy is {strategy!r}", "", f"Known are {', '.join(_STRATEGIES)}")
        if not 0.5 < probability < 1.0:
            what = f"probability is {probability}"
            raise InputError("SafeStudy", what, "It is that of a query to be safe", "Try probability=0.95")
        goal = safe_goal(direction, safety)
        surrogates = surrogates_by_outcome(surrogate, goal.outcomes)
        self.probability = float(probability)
        self._plan = Plan(space, goal, checked_seeds(space, seeds), self.probability, strategy, surrogates, audit)
        definition = {
            "format": _FORMAT,
            "kind": "safe",
            **goal.to_dict(),
            "seeds": space.decode(self._plan.seeds) if name is not None else [],
            "probability": self.probability,
            "strategy": strategy,
            "surrogates": {key: repr(model) for key, model in surrogates.items()},
            "audit": audit,
        }
        super().__init__(space, goal, definition, storage=storage, name=name, lease=lease, random_state=random_state)

    @property
    def safety(self) -> tuple[str, ...]:
        """The bounds, in words."""
        return tuple(str(bound) for bound in self._plan.bounds)

    def ask(self) -> Trial:
        """What to measure next: a trial that a worker gave back, a seed, or what tells most of what is safe.

        A trial that came back is judged by what is known now. One that is no longer safe is closed as failed, with a
        note, and its point may be suggested again when it is safe. Where no point is safe, the likeliest seed is
        measured again; seeds that failed or broke a bound are not, and an error says so when none is left.
        """
        with self._asking:
            while (waiting := self._waiting()) is not None:
                if self._may_be_measured(waiting):
                    return waiting
                self.tell(waiting, failed=True, note=_WITHDRAWN)
            return self._new(self._suggestions)[0]

    @property
    def best(self) -> Trial:
        """Of the measured points that are safe with the promised probability, the one that is surely the best.

        By the pessimistic end of its interval, noise left out. Where no measured point is safe under the surrogates,
        the best of those that were measured to keep the bounds.
        """
        seen, records = self._seen(self._log.read())
        keeps = self.goal.met(seen.values)
        if not np.any(keeps):
            raise InputError("SafeStudy", "no safe trial has its outcomes yet", "", "Ask, measure and tell first")
        believed = {name: outcome.at(seen.rows) for name, outcome in self._learned().items()}
        safe = unsafe_probability(believed, self._plan.bounds) <= 1.0 - self.probability
        worst = self._plan.turned * believed[self._plan.objective].mean + believed[self._plan.objective].std
        among = safe & keeps if np.any(safe & keeps) else keeps
        return self._trial(records[int(np.argmin(np.where(among, worst, np.inf)))])

    def posterior(self, points: Any, outcome: str | None = None) -> Normal:
        """The belief about the objective, or the named outcome (without noise), at points, with audited intervals."""
        name, known = outcome or self._plan.objective, self.goal.outcomes
        if name not in known:
            raise InputError("posterior", f"there is no outcome {name!r}", "", f"There are {', '.join(known)}")
        believed = self._learned()[name].at(self.space.encode(points))
        return Normal(placed(believed.mean), placed(believed.std))

    def safe_probability(self, points: Any) -> Float[np.ndarray, " n"]:
        """With which points (dicts or a frame) keep all bounds, at least, by the audited intervals."""
        rows = self.space.encode(points)
        believed = {name: outcome.at(rows) for name, outcome in self._learned().items()}
        return 1.0 - unsafe_probability(believed, self._plan.bounds)

    def replay(self, number: int) -> dict[str, Any]:
        """The suggestion of a trial, made again from the trials that it saw and its seed."""
        _, seen, seed = self._suggested_before(number)
        suggested = self._suggested(seen, seed)
        return self.space.decode(suggested.row[None])[0]

    @cached_property
    def _even(self) -> Float[np.ndarray, "e d"]:
        return self.space.sample_rows(_EVEN, self._seed)

    def _learned(self) -> dict[str, Outcome]:
        version = self._log.read()
        seen, _ = self._seen(version)
        if not len(seen.rows):
            raise InputError("SafeStudy", "no trial has its outcomes yet", "", "Ask, measure and tell first")
        return learned(self._plan, seen, start=self._log.starts(version) or None)

    def _may_be_measured(self, trial: Trial) -> bool:
        """Whether a trial that came back is safe by what is known now."""
        version = self._log.read()
        seen, done = self._seen(version)
        if trial.why.seen is not None:
            then, _ = self._seen(trial.why.seen)
            if len(then.rows) == len(done) and len(then.failed) == len(seen.failed):
                return True  # nothing was told since it was judged
        row = self._log.rows([self._log.trial(trial.number)])[0]
        return is_still_safe(self._plan, seen, row, start=self._log.starts(version) or None)

    def _seen(self, version: int) -> tuple[Seen, list[TrialRecord]]:
        """What stood in the study at a version, and the trials that had their outcomes."""
        done, failed, pending = standing_at(self._log.trials, version)
        failed = [trial for trial in failed if trial.note != _WITHDRAWN]  # nobody tried these
        rows = [self._log.rows(trials) for trials in (done, failed, pending)]
        return Seen(rows[0], outcomes_of(self.goal, done), *rows[1:]), done

    def _suggestions(self, version: int, seed: int) -> list[tuple[Float[np.ndarray, " d"], dict[str, Any]]]:
        suggested = self._suggested(version, seed)
        return [(suggested.row, suggested.why.to_dict())]

    def _suggested(self, version: int, seed: int) -> SafeSuggestion:
        seen, _ = self._seen(version)
        start = self._log.starts(version) or None
        return suggest_safely(self._plan, seen, even=self._even, start=start, seed=seed)
