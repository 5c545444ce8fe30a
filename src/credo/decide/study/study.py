"""`Study`: ask what to measure, tell what came out; it survives a crash, and every suggestion can be repeated."""

from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np
from joblib import Parallel, delayed

from credo.beliefs import Normal
from credo.decide.acquisitions.maximize import moments_at
from credo.decide.storage import Storage, StudyRecord, TrialRecord, storage_from
from credo.decide.study.suggest import ACQUISITIONS, Known, Named, Suggestion, suggest
from credo.decide.study.surrogate import learn_objective
from credo.decide.study.trial import Trial
from credo.errors import InputError
from credo.numerics.progress import tracker
from credo.numerics.random import as_seed
from credo.represent.space import Space

__all__ = ["Study"]

_LEASE = 3600.0  # seconds until a trial that nobody answered is handed to somebody else
_FORMAT = 1  # of the definition that is stored
_FEWEST, _MOST = 4, 12  # points of the even design that a study begins with: twice the parameters, within these


@final
class Study:
    """What to measure next, from what was measured.

    `ask` suggests a point with its reason, `tell` takes the result; `optimize` does both with a function. The surrogate
    is a Gaussian process over the encoded space, refitted at every ask from where the last fit ended. A suggestion is a
    function of the trials it saw and of its seed, both of which are stored: `replay` makes it again. Trials that failed
    are learnt from, too: a gain counts by the probability that a trial there succeeds.

    Parameters
    ----------
    space : Space
    direction : "minimize" or "maximize"
    acquisition : str
        "log_ei" (expected improvement), "log_nei" (of what is behind noise), "pi", "lcb", "thompson", "mes", "kg", or
        "random".
    storage : None, path or address
        None is memory; "study.db" a SQLite file; "postgresql://…" a server. Many processes may share it.
    name : str, optional
        Of the study in its storage; one that is there is continued, if it was defined the same.
    initial : int, optional
        Points of the even design at the beginning: by default twice the number of parameters, from 4 to 12.
    random_state : int, generator or None

    Examples
    --------
    >>> from credo.represent.space import Real, Space
    >>> study = Study(Space({"x": Real(0, 4)}), random_state=0)
    >>> for _ in range(10):
    ...     trial = study.ask()
    ...     study.tell(trial, (trial.params["x"] - 1.5) ** 2)
    >>> print(f"{study.best.params['x']:.1f}")
    1.5
    """

    def __init__(
        self,
        space: Space,
        *,
        direction: str = "minimize",
        acquisition: str = "log_ei",
        storage: Storage | str | None = None,
        name: str | None = None,
        initial: int | None = None,
        lease: float = _LEASE,
        random_state: Any = None,
    ) -> None:
        if direction not in ("minimize", "maximize"):
            raise InputError("Study", f"direction is {direction!r}", "", 'Try "minimize" or "maximize"')
        if acquisition not in ACQUISITIONS:
            raise InputError("Study", f"acquisition is {acquisition!r}", "", f"Known are {', '.join(ACQUISITIONS)}")
        self.space = space
        self.direction = direction
        self.acquisition: Named = acquisition
        self.initial = min(max(2 * len(space), _FEWEST), _MOST) if initial is None else int(initial)
        self.storage = storage if isinstance(storage, Storage) else storage_from(storage)
        self._lease = float(lease)
        self._record = self._stored(name, random_state)
        self._seed = int(self._record.definition["seed"])
        self._trials: dict[int, TrialRecord] = {}
        self._version = 0

    def _stored(self, name: str | None, random_state: Any) -> StudyRecord:
        definition = {
            "format": _FORMAT,
            "space": self.space.to_dict() if name is not None else {},
            "direction": self.direction,
            "acquisition": self.acquisition,
            "initial": self.initial,
        }
        if name is None:
            return self.storage.create_study(_free_name(self.storage), {**definition, "seed": as_seed(random_state)})
        there = {record.name: record for record in self.storage.list_studies()}
        seed = as_seed(random_state)
        if name in there and random_state is None:
            seed = int(there[name].definition.get("seed", seed))
        return self.storage.create_study(name, {**definition, "seed": seed}, exist_ok=True)

    @property
    def name(self) -> str:
        """In its storage."""
        return self._record.name

    @property
    def _turned(self) -> float:
        return 1.0 if self.direction == "minimize" else -1.0

    # -- asking and telling ----------------------------------------------------------------------------------------

    def ask(self) -> Trial:
        """What to measure next: a trial that waits, or a new one."""
        waiting = self.storage.claim_waiting(self._record, lease=self._lease)
        if waiting is not None:
            return Trial.of(waiting, dict(waiting.params))
        self._read()
        seed = int(np.random.SeedSequence([self._seed, len(self._trials), self._version]).generate_state(1)[0])
        suggested = self._suggested(self._version, seed)
        params = self.space.decode(suggested.row[None])[0]
        why = {**suggested.why.to_dict(), "seen": self._version}
        record = self.storage.add_running(self._record, params, lease=self._lease, why=why, seed=seed)
        return Trial.of(record, params)

    def ask_batch(self, n: int) -> list[Trial]:
        """Several at once: each counts on those before it to come out as believed."""
        return [self.ask() for _ in range(n)]

    def tell(self, trial: Trial, value: float | None = None, *, failed: bool = False, note: str = "") -> None:
        """The result of a trial, or that it failed. The same again is no harm; another is a `ConflictError`."""
        self.storage.tell(self._record, trial.number, trial.token, value, failed=failed, note=note)

    def enqueue(self, params: Mapping[str, Any]) -> int:
        """Have this point measured next; its number."""
        reason = self.space.why_not(params)
        if reason is not None:
            raise InputError("enqueue", reason, "It is not in the space", "Correct it, or widen the space")
        return self.storage.enqueue(self._record, params, why={"reason": "queued"})

    def add(self, runs: Any, values: Any) -> None:
        """Past runs (dicts or a frame) with their results; NaN or None for one that failed."""
        points = self.space.decode(self.space.encode(runs, outside=True))
        results = [None if value is None or value != value else float(value) for value in values]
        if len(points) != len(results):
            raise InputError("Study.add", f"{len(points)} runs and {len(results)} results", "", "Pass one a run")
        self.storage.add_finished(self._record, zip(points, results, strict=True))

    def optimize(self, function: Callable[[dict[str, Any]], float], n_trials: int, n_jobs: int = 1) -> "Study":
        """Ask, measure with `function` (of a dict of parameters) and tell, so many times.

        A trial whose function raises is told as failed, with the error as its note. With `n_jobs` several run at once
        through joblib: in threads for a study in memory, else as ``joblib.parallel_config`` says.
        """
        with tracker("Study", n_trials) as track:
            if n_jobs == 1:
                for _ in range(n_trials):
                    self._measure(function)
                    track.advance()
                return self
            for start in range(0, n_trials, n_jobs):
                trials = self.ask_batch(min(n_jobs, n_trials - start))
                work = (delayed(_outcome)(function, trial.params) for trial in trials)
                outcomes = Parallel(n_jobs=n_jobs, prefer="threads")(work)
                for trial, (value, note) in zip(trials, outcomes, strict=True):
                    self.tell(trial, value, failed=value is None, note=note)
                    track.advance()
        return self

    def _measure(self, function: Callable[[dict[str, Any]], float]) -> None:
        trial = self.ask()
        value, note = _outcome(function, trial.params)
        self.tell(trial, value, failed=value is None, note=note)

    # -- what is known ---------------------------------------------------------------------------------------------

    @property
    def trials(self) -> list[Trial]:
        """All of them, by number."""
        self._read()
        return [Trial.of(self._trials[number], dict(self._trials[number].params)) for number in sorted(self._trials)]

    @property
    def best(self) -> Trial:
        """The trial with the best value that was told."""
        done = [trial for trial in self.trials if trial.value is not None]
        if not done:
            raise InputError("Study", "no trial has a value yet", "", "Ask, measure and tell first")
        return min(done, key=lambda trial: self._turned * (trial.value or 0.0))

    def posterior(self, points: Any) -> Normal:
        """The belief about the objective (without noise) at points (dicts or a frame), in its own units."""
        self._read()
        known = self._known(self._version)
        if len(known.values) < 2:
            raise InputError("posterior", f"{len(known.values)} results", "A model needs two", "Measure more first")
        learned = learn_objective(self.space, known.rows, known.values, start=self._start(self._version))
        mean, variance = moments_at(learned.surface, self.space.encode(points))
        center = self._turned * (learned.center + learned.scale * np.mean(mean, axis=1))
        return Normal(center, learned.scale * np.sqrt(np.mean(variance, axis=1) + np.var(mean, axis=1)))

    def replay(self, number: int) -> dict[str, Any]:
        """The suggestion of a trial, made again from the trials that it saw and its seed."""
        self._read()
        record = self._trials[number]
        if record.seed is None or "seen" not in record.why:
            raise InputError("replay", f"trial {number} was not suggested", "It was given or queued", "Replay another")
        suggested = self._suggested(int(record.why["seen"]), record.seed)
        return self.space.decode(suggested.row[None])[0]

    def _read(self) -> None:
        changes = self.storage.trials(self._record, since=self._version)
        self._trials.update({trial.number: trial for trial in changes.trials})
        self._version = changes.version

    def _known(self, version: int) -> Known:
        """What stood in the study at a version."""
        done: list[TrialRecord] = []
        failed: list[TrialRecord] = []
        pending: list[TrialRecord] = []
        for number in sorted(self._trials):
            trial = self._trials[number]
            if trial.finished_by(version):
                (done if trial.state == "done" else failed).append(trial)
            elif trial.pending_at(version):
                pending.append(trial)
        values = np.array([trial.values[0] for trial in done if trial.values is not None], dtype=np.float64)
        return Known(self._rows(done), self._turned * values, self._rows(failed), self._rows(pending))

    def _rows(self, trials: list[TrialRecord]) -> np.ndarray:
        if not trials:
            return np.empty((0, len(self.space)))
        return self.space.encode([dict(trial.params) for trial in trials], outside=True)

    def _start(self, version: int) -> Any:
        """The parameters of the latest surrogate that was there at a version."""
        for number in sorted(self._trials, reverse=True):
            trial = self._trials[number]
            if trial.born <= version and trial.why.get("parameters"):
                return trial.why["parameters"]
        return None

    def _suggested(self, version: int, seed: int) -> Suggestion:
        return suggest(
            self.space,
            self._known(version),
            acquisition=self.acquisition,
            initial=self.initial,
            turned=self._turned,
            start=self._start(version),
            design_seed=self._seed,
            seed=seed,
        )


def _outcome(function: Callable[[dict[str, Any]], float], params: dict[str, Any]) -> tuple[float | None, str]:
    """The value, or what went wrong."""
    try:
        value = float(function(params))
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    return (value, "") if np.isfinite(value) else (None, f"the value was {value}")


def _free_name(storage: Storage) -> str:
    taken = {record.name for record in storage.list_studies()}
    return next(name for name in (f"study {i}" for i in range(1, len(taken) + 2)) if name not in taken)
