"""`Study`: ask what to measure, tell what came out; it survives a crash, and every suggestion can be repeated."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, final

import numpy as np
from jaxtyping import Float

from credo.beliefs import Mixture
from credo.decide.acquisitions.maximize import evaluated
from credo.decide.acquisitions.pareto import pareto_front
from credo.decide.storage import Storage, storage_from
from credo.decide.study.audit import IntervalAudit
from credo.decide.study.averaging import audit_of, believed_at
from credo.decide.study.base import LEASE, StoredStudy, stored_crash_cost
from credo.decide.study.believing import Beliefs, learn_beliefs
from credo.decide.study.counting import counting
from credo.decide.study.goal import Goal
from credo.decide.study.known import Known
from credo.decide.study.past import past_runs
from credo.decide.study.prepare import prepare
from credo.decide.study.recommend import Recommendation, averages_at, recommend
from credo.decide.study.remaining import DRAWS, Remaining
from credo.decide.study.report import Report, report_of
from credo.decide.study.rounding import short_point
from credo.decide.study.setup import Setup
from credo.decide.study.stopping import remaining_of
from credo.decide.study.suggest import Suggestion, sampled, suggest
from credo.decide.study.surrogate import MOST_AVERAGED
from credo.decide.study.surrogates import require_surrogate
from credo.decide.study.trial import Trial
from credo.errors import InputError
from credo.represent.space import Space

__all__ = ["Study"]

_FORMAT = 2  # of the definition that is stored


@final
class Study(StoredStudy):
    """What to measure next, from what was measured.

    `ask` suggests a point with its reason, `tell` takes the result; `optimize` does both with a function. The surrogate
    is a Gaussian process over the encoded space, refitted at every ask from where the last fit ended. A suggestion is a
    function of the trials it saw and of its seed, both of which are stored: `replay` makes it again. Trials that failed
    are learnt from, too: a gain counts by the probability that a trial there succeeds.

    What a belief covers: the objective at a point without noise, averaged over the parameters of the default surrogate
    (length-scales, variance, noise and level) while there are at most 200 trials and 20 parameters; above, it is that
    of the most likely parameters. With few trials a function without noise and a flat one under noise explain the same
    numbers; the interval contains what either implies. It assumes that the objective is equally smooth all over the
    space. Suggestions are made at the most likely parameters. A surrogate that is passed has its own beliefs. An ask
    costs O(n³) for n trials.

    Parameters
    ----------
    space : Space
    direction : "minimize", "maximize", or a mapping of names to these
        Several objectives are weighed by the volume that their Pareto front dominates.
    acquisition : str
        "log_ei" (expected improvement), "log_nei" (of what is behind noise), "qlog_ei" (batches as a whole), "pi",
        "lcb", "thompson", "mes", "kg", or "random".
    surrogate : estimator, optional
        With `predict_dist`; it sees columns from 0 to 1, choices as zeros and ones, and a standardized objective. A
        `GPRegressor` sees columns with a standard deviation of about one, and choices as codes.
    outcome_constraints : list of str
        Bounds on further outcomes, or on an objective, such as ``"impurity <= 0.5"``; each is told by its name.
    context : list of str
        Parameters that are given at an ask and not chosen.
    fidelity : mapping
        Parameters that may be lower than what counts, with the values that count, such as ``{"epochs": 100}``.
    cost : function of a point, or the name of an outcome
        A gain is then weighed by what it costs. A cost that is told is learnt from the trials, a function from 128
        points of the space.
    robust : mapping
        How far parameters will be missed, one standard deviation (on a log scale relative): the average around a
        point counts, so that a wide optimum is better than a sharp one. `ask` then suggests the point whose measurement
        lowers the least predicted average most in expectation (the knowledge gradient, whatever `acquisition` is unless
        "random"), and `best` is the trial with the best predicted average.
    region : "whole" or "trust"
        Where suggestions are looked for: by default everywhere up to 20 parameters, in a trust region above.
    reference : mapping, optional
        Objectives that are just not acceptable, from which a hypervolume is measured.
    crash_cost : float
        The cost of a crash in trials, 1 by default: the trial that it wastes. A suggestion has to succeed with
        probability κ/(1 + κ) at a cost of κ, so 1/2 at 1 and 3/4 at 3; `why.note` states where no setting does. 0 only
        weights a gain by the probability of success. A stored study keeps its own cost.
    storage : None, path or address
        None is memory; "study.db" a SQLite file; "postgresql://…" a server. Many processes may share it.
    name : str, optional
        Of the study in its storage; one that is there is continued, if it was defined the same.
    initial : int, optional
        Points of the even design at the beginning: by default twice the number of parameters, from 4 to 12.
    lease : float
        Seconds after which a trial that nobody answered is handed to somebody else. `optimize` renews it.
    random_state : int, generator or None

    Examples
    --------
    >>> from credo.represent.space import Real, Space
    >>> study = Study(Space({"x": Real(0, 4)}), random_state=0)
    >>> for _ in range(10):
    ...     trial = study.ask()
    ...     accepted = study.tell(trial, (trial.params["x"] - 1.5) ** 2)
    >>> print(f"{study.best.params['x']:.1f}")
    1.5
    """

    def __init__(
        self,
        space: Space,
        *,
        direction: str | Mapping[str, str] = "minimize",
        acquisition: str = "log_ei",
        surrogate: Any = None,
        outcome_constraints: Sequence[str] = (),
        context: Sequence[str] = (),
        fidelity: Mapping[str, Any] | None = None,
        cost: Callable[[dict[str, Any]], float] | str | None = None,
        robust: Mapping[str, float] | None = None,
        region: str | None = None,
        reference: Mapping[str, float] | None = None,
        crash_cost: float | None = None,
        storage: Storage | str | os.PathLike[str] | None = None,
        name: str | None = None,
        initial: int | None = None,
        lease: float = LEASE,
        random_state: Any = None,
    ) -> None:
        require_surrogate(surrogate)
        told, computed = (cost, None) if isinstance(cost, str) else (None, cost)
        goal = Goal.of(direction, outcome_constraints, told)
        self.setup = Setup(
            space,
            goal,
            acquisition,
            surrogate,
            initial,
            tuple([context] if isinstance(context, str) else context),
            dict(fidelity or {}),
            dict(robust or {}),
            computed,
            region,
            reference,
            1.0 if crash_cost is None else crash_cost,
        )
        storage = storage_from(storage)
        if crash_cost is None:
            self.setup = replace(self.setup, crash_cost=stored_crash_cost(storage, name))
        definition = {"format": _FORMAT, **self.setup.to_dict()}
        super().__init__(space, goal, definition, storage=storage, name=name, lease=lease, random_state=random_state)

    @classmethod
    def from_data(cls, X: Any, y: Any, *, space: Space | None = None, **settings: Any) -> "Study":
        """A study that begins with a table of past runs.

        `X` is a frame (or a list of dicts) and `y` the results: the name of a column of `X`, several names, an array,
        or a mapping of outcomes; what is bounded, and a cost by name, are columns of `X`, too. The space is guessed
        from the other columns unless it is given: ``print(study)`` shows it with the reason of each guess; change it by
        ``space=Space.from_frame(X, "yield").with_(...)``. Runs without a result count as failed. All other settings are
        those of the study.

        >>> import polars as pl
        >>> runs = pl.DataFrame({"t": [20.0, 40.0, 60.0, 80.0], "yield": [1.0, 3.0, 4.0, 2.0]})
        >>> study = Study.from_data(runs, "yield", direction="maximize", random_state=0)
        >>> 40.0 < study.ask().params["t"] < 80.0
        True
        """
        found = past_runs(X, y, space, settings)
        study = cls(found.space, **{**settings, "direction": found.direction})
        study.add(found.runs, found.outcomes)
        return study

    # -- what it is ------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Of the objectives."""
        return self.goal.objectives

    # -- asking and telling ----------------------------------------------------------------------------------------

    def ask(self, context: Mapping[str, Any] | None = None) -> Trial:
        """What to measure next: a trial that waits, or a new one. `context` has what is given and not chosen."""
        return self._asked(1, context)[0]

    def ask_batch(self, n: int, context: Mapping[str, Any] | None = None) -> list[Trial]:
        """Several at once: with "qlog_ei" chosen together, where nothing is bounded and nothing costs; else one after
        the other, each knowing of those before it that they are under way.

        Suggestions of the surrogate are different settings: each differs from all pending ones by at least a hundredth
        of a range in some parameter (in a trust region by a tenth of its side). Where the space has no such setting,
        the reason states it.
        """
        if not isinstance(n, (int, np.integer)) or n < 1:
            raise InputError("ask_batch", f"n is {n!r}", "It is how many points to measure at once", "Try n=4")
        return self._asked(int(n), context)

    def _asked(self, n: int, context: Mapping[str, Any] | None) -> list[Trial]:
        """All of them or none: what was taken before something went wrong is given back."""
        asked: list[Trial] = []
        try:
            while len(asked) < n:
                waiting = self._waiting_in(context)
                asked += self._suggest_new(n - len(asked), context) if waiting is None else [waiting]
        except BaseException:
            for trial in asked:
                self.give_back(trial)
            raise
        return asked

    def _waiting_in(self, context: Mapping[str, Any] | None) -> Trial | None:
        """A trial that waits, in this context; those of others go on waiting."""
        others: list[Trial] = []
        try:
            while (trial := self._waiting()) is not None:
                if all(trial.params.get(name) == value for name, value in (context or {}).items()):
                    return trial
                others.append(trial)
            return None
        finally:
            for trial in others:
                self.give_back(trial)

    def _suggest_new(self, n: int, context: Mapping[str, Any] | None) -> list[Trial]:
        """Up to n new trials: as many as are chosen together."""
        together = n if self.setup.acquisition == "qlog_ei" else 1

        def suggestions(version: int, seed: int) -> list[tuple[Float[np.ndarray, " d"], dict[str, Any]]]:
            found = self._suggested(version, seed, together, context)
            places = [{} if len(found) == 1 else {"batch": (i, len(found))} for i in range(len(found))]
            return [(one.row, {**one.why.to_dict(), **place}) for one, place in zip(found, places, strict=True)]

        return self._new(suggestions, context)

    def enqueue(self, params: Mapping[str, Any]) -> int:
        """Have this point measured next; its number."""
        reason = self.space.why_not(params)
        if reason is not None:
            raise InputError("enqueue", reason, "It is not in the space", "Correct the value, or change the space")
        return self.storage.enqueue(self.record, self.space.runs([params])[0], why={"reason": "queued"})

    def optimize(self, function: Callable[[dict[str, Any]], Any], n_trials: int, n_jobs: int = 1) -> "Study":
        if self.setup.context:
            what = f"optimize with the context {', '.join(map(repr, self.setup.context))}"
            raise InputError("optimize", what, "A context is given at each ask", "Ask and tell")
        return super().optimize(function, n_trials, n_jobs)

    # -- what is known ---------------------------------------------------------------------------------------------

    @property
    def best(self) -> Trial:
        """The best measured trial: its value is the best that was told, of those that met the bounds at the fidelity
        that counts.

        With `robust` it is the best predicted one, by the believed average around it: a single value may be that of a
        sharp optimum.
        """
        found = counting(self.setup, self.trials)
        if len(self.names) > 1:
            raise InputError("Study", f"best of {len(self.names)} objectives", "None is best in all", "Try pareto")
        sign = self.goal.signs[0]
        if self.setup.robust and len(found) > 1:
            means = np.asarray(self.average([trial.params for trial in found]).mean)
            return found[int(np.argmin(sign * means))]
        return min(found, key=lambda trial: sign * (trial.value or 0.0))

    @property
    def pareto(self) -> list[Trial]:
        """The trials that no other is better than in every objective, of those that met the bounds."""
        found = counting(self.setup, self.trials)
        told = np.array([[(trial.values or {})[name] for name in self.names] for trial in found])
        return [
            trial for trial, is_on in zip(found, pareto_front(told * np.array(self.goal.signs)), strict=True) if is_on
        ]

    def posterior(self, points: Any, outcome: str | None = None) -> Mixture:
        """The belief about an objective (without noise) at points (dicts or a frame), in its own units.

        Points may lie between steps and beyond the bounds, as past runs do.
        It is a mixture over the parameters of the surrogate. `outcome` names another objective than the first.
        """
        at = self._index(outcome)
        beliefs = self._beliefs("posterior")
        learned, sign = beliefs.objectives[at], self.goal.signs[at]
        rows = self.space.encode(points, outside=True)
        return believed_at(self.space, learned, learned.surface, rows, sign).belief

    def average(self, points: Any) -> Mixture:
        """The belief about the average around points (dicts or a frame) that are missed as far as `robust` tells.

        It is what a robust study optimizes, in the units of the objective.
        """
        known, rows = self._enough("average"), self.space.encode(points, outside=True)
        return averages_at(self.setup, known, rows, self._starts(known), self._seed).belief

    def _index(self, outcome: str | None) -> int:
        if outcome is not None and outcome not in self.names:
            known = ", ".join(map(repr, self.names))
            raise InputError("posterior", f"there is no objective {outcome!r}", f"There are {known}", "Choose one")
        return 0 if outcome is None else self.names.index(outcome)

    def recommend(self, context: Mapping[str, Any] | None = None) -> Recommendation:
        """The recommended point: where the mean of the belief is best in the whole space, measured or not."""
        known = self._enough("recommend")
        return recommend(self.setup, known, context, self._starts(known), self._seed)

    def remaining(self, context: Mapping[str, Any] | None = None, draws: int = DRAWS) -> Remaining:
        """What is left to gain, as a sign to stop: how much better than the best predicted of the
        measured settings the best of the space may be.

        ``remaining().bound(0.95)`` is what it is at most with that confidence, ``remaining().probability(0.1)`` how
        likely at least 0.1 is left; if the surrogate is right.
        """
        known = self._enough("remaining")
        starts = self._starts(known)
        return remaining_of(self.setup, known, context=context, starts=starts, draws=draws, seed=self._seed)

    def audit(self, outcome: str | None = None) -> IntervalAudit:
        """Whether the intervals of the default surrogate covered the results of the trials.

        A suggestion is judged by the belief that it was made with, every other trial by its prediction from all other
        trials. Where 50, 80 or 90 % intervals covered clearly fewer (exact binomial tests, 5 %, Holm), all intervals
        of the study are wider by `factor`. A surrogate that is passed is refused. `outcome` names another objective
        than the first.
        """
        if self.setup.surrogate is not None:
            what = f"the surrogate is {self.setup.surrogate!r}"
            raise InputError("audit", what, "Only the default surrogate is audited", "Audit the estimator: credo.audit")
        return audit_of(self.space, self._beliefs("audit").objectives[self._index(outcome)])

    def acquisition_at(self, points: Any, context: Mapping[str, Any] | None = None) -> Float[np.ndarray, " m"]:
        """What an ask of the whole space would maximize, at points as for `posterior`: mostly the logarithm of a gain.

        While the even design goes on, and where functions are drawn in a trust region, asks do something else.
        """
        known = self._enough("acquisition_at")
        starts = self._log.starts(self._log.version)
        prepared = prepare(
            self.setup, known, np.random.default_rng(self._seed), context=context, starts=starts, warped=True
        )
        return evaluated(prepared.acquisition, self.space.encode(points, outside=True))

    def _beliefs(self, who: str) -> Beliefs:
        known = self._enough(who)
        return learn_beliefs(self.setup, known, starts=self._starts(known), seed=self._seed)

    def _starts(self, known: Known) -> Sequence[Sequence[float]]:
        """Where searches for what is reported begin: with few trials anew, so that it depends on the trials alone."""
        if len(known.rows) <= MOST_AVERAGED and self.setup.surrogate is None and not self.setup.has_many_parameters:
            return ()
        return self._log.starts(self._log.version)

    def _enough(self, who: str) -> Known:
        known = self._log.known(self._log.read())
        if len(known.rows) < 2:
            raise InputError(who, f"{len(known.rows)} results", "A model needs two", "Measure more first")
        return known

    def report(self, level: float = 0.95) -> Report:
        """Where the study stands: counts, the best measured, the recommended, what is left to gain; printed, a page."""
        return report_of(self, level)

    def replay(self, number: int) -> dict[str, Any]:
        """The suggestion of a trial, made again from the trials that it saw and its seed.

        It is the same with the version of credo that made it; another may suggest another point.
        """
        record, seen, seed = self._suggested_before(number)
        place, size = record.why.get("batch", (0, 1))
        context = {name: record.params[name] for name in self.setup.context}
        suggested = self._suggested(seen, seed, size, context)
        return self._point(suggested[place].row, context)

    def _point(self, row: Float[np.ndarray, " d"], context: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """In short numbers, but for the context, which is given, and for a fidelity that counts as it is."""
        point = (self.setup.within(context) if context else self.space).decode(row[None])[0]
        counting = [name for name, value in self.setup.fidelity.items() if point.get(name) == value]
        return short_point(self.space, point, [*self.setup.context, *counting])

    def _suggested(self, version: int, seed: int, n: int, context: Mapping[str, Any] | None) -> list[Suggestion]:
        if self.setup.acquisition == "random" and self.space.count is None:
            return sampled(self.setup, n, context, seed)  # at the same cost, however many trials there are
        return suggest(
            self.setup,
            self._log.known(version),
            batch=n,
            context=context,
            starts=self._log.starts(version),
            design_seed=self._seed,
            seed=seed,
        )

    def __str__(self) -> str:
        counts = self.storage.counts(self.record)
        trials = f"{counts.done} done, {counts.failed} failed, {counts.running + counts.waiting} open"
        return f"{self.name}: {self.goal}; {trials}\n{self.space}"
