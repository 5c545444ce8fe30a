"""Studies in the memory of one process, for all of its threads."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, final

from credo.decide.storage.base import Storage
from credo.decide.storage.fencing import (
    judge,
    lost_lease,
    missing_study,
    missing_trial,
    require_number,
    same_late_answer,
    too_late,
)
from credo.decide.storage.records import Changes, Counts, Evidence, StudyRecord, TrialRecord
from credo.errors import UndefinedError

__all__ = ["MemoryStorage"]


@dataclass
class _Held:
    """A study in memory. `log[v - 1]` is the number that change v touched; `open` has the unanswered, in order.

    What is JSON stays text here and is read anew for everyone, so that nobody can change what is kept.
    """

    record: StudyRecord
    definition: str
    texts: list[tuple[str, str]] = field(default_factory=list)
    trials: list[TrialRecord] = field(default_factory=list)
    log: list[int] = field(default_factory=list)
    open: dict[int, None] = field(default_factory=dict)
    late: dict[tuple[int, int], Evidence] = field(default_factory=dict)
    failed: int = 0

    def study(self) -> StudyRecord:
        return replace(self.record, definition=json.loads(self.definition))

    def trial(self, number: int) -> TrialRecord:
        params, why = self.texts[number]
        return replace(self.trials[number], params=json.loads(params), why=json.loads(why))

    def add(self, params: str, why: str, **fields: Any) -> int:
        number, version = len(self.trials), len(self.log) + 1
        self.texts.append((params, why))
        self.trials.append(TrialRecord(number, {}, born=version, version=version, **fields))
        self._note(self.trials[number])
        return number

    def change(self, number: int, **fields: Any) -> None:
        self.trials[number] = replace(self.trials[number], version=len(self.log) + 1, **fields)
        self._note(self.trials[number])

    def _note(self, trial: TrialRecord) -> None:
        self.log.append(trial.number)
        if trial.is_finished:
            self.open.pop(trial.number, None)
            self.failed += trial.state == "failed"
        else:
            self.open[trial.number] = None


@final
class MemoryStorage(Storage):
    """Studies in memory: safe between threads, gone with the process.

    `clock` gives the seconds since 1970; tests pass one of their own.

    >>> storage = MemoryStorage()
    >>> study = storage.create_study("reactor", {"direction": "minimize"})
    >>> trial = storage.add_running(study, {"x": 0.5}, lease=60.0)
    >>> storage.tell(study, trial.number, trial.token, 1.25)
    True
    >>> storage.trials(study).trials[0].values
    (1.25,)
    """

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._held: dict[int, _Held] = {}
        self._next_id = 1

    def __reduce__(self) -> NoReturn:
        raise UndefinedError(
            "MemoryStorage",
            "studies in memory cannot go to another process",
            "Several processes were asked to work on one study",
            "Keep it in a file, storage='study.db', or on PostgreSQL",
        )

    def _of(self, study: StudyRecord) -> _Held:
        if study.id not in self._held:
            raise missing_study(study.name)
        return self._held[study.id]

    def _trial(self, study: StudyRecord, number: int) -> TrialRecord:
        trials = self._of(study).trials
        if not 0 <= number < len(trials):
            raise missing_trial(study, number)
        return trials[number]

    def load_study(self, name: str) -> StudyRecord:
        with self._lock:
            found = self._named(name)
        if found is None:
            raise missing_study(name)
        return found

    def _named(self, name: str) -> StudyRecord | None:
        return next((held.study() for held in self._held.values() if held.record.name == name), None)

    def list_studies(self) -> tuple[StudyRecord, ...]:
        with self._lock:
            return tuple(held.study() for held in self._held.values())

    def delete_study(self, study: StudyRecord) -> None:
        with self._lock:
            self._of(study)
            del self._held[study.id]

    def _create_study(self, name: str, definition: str) -> tuple[StudyRecord, bool]:
        with self._lock:
            found = self._named(name)
            if found is not None:
                return found, False
            held = _Held(StudyRecord(self._next_id, name, {}, self._clock()), definition)
            self._held[self._next_id] = held
            self._next_id += 1
            return held.study(), True

    def _enqueue(self, study: StudyRecord, params: str, why: str) -> int:
        with self._lock:
            return self._of(study).add(params, why, state="waiting", created=self._clock())

    def _claim_waiting(self, study: StudyRecord, lease: float, worker: str) -> TrialRecord | None:
        with self._lock:
            held, now = self._of(study), self._clock()
            for number in held.open:
                trial = held.trials[number]
                if trial.lease_until is None or trial.lease_until <= now:
                    holder = {"token": trial.token + 1, "lease_until": now + lease, "worker": worker}
                    held.change(number, state="running", **holder)
                    return held.trial(number)
            return None

    def _add_running(
        self, study: StudyRecord, params: str, why: str, seed: int | None, at: int | None, lease: float, worker: str
    ) -> TrialRecord:
        with self._lock:
            held, now = self._of(study), self._clock()
            require_number(study, at, len(held.trials))
            holder = {"token": 1, "lease_until": now + lease, "worker": worker}
            return held.trial(held.add(params, why, state="running", seed=seed, created=now, **holder))

    def _add_finished(self, study: StudyRecord, rows: list[tuple[str, tuple[float, ...] | None]], note: str) -> range:
        with self._lock:
            held, now = self._of(study), self._clock()
            first = len(held.trials)
            for params, values in rows:
                state = "failed" if values is None else "done"
                fields = {"values": values, "created": now, "finished": now, "note": note}
                held.add(params, "{}", state=state, token=1, **fields)
            return range(first, len(held.trials))

    def _renew(self, study: StudyRecord, number: int, token: int, lease: float) -> float:
        with self._lock:
            trial = self._trial(study, number)
            if trial.state != "running" or trial.token != token:
                raise lost_lease(study, trial, token)
            until = self._clock() + lease
            self._of(study).trials[number] = replace(trial, lease_until=until)
            return until

    def _tell(self, study: StudyRecord, number: int, token: int, values: tuple[float, ...] | None, note: str) -> bool:
        with self._lock:
            held, trial = self._of(study), self._trial(study, number)
            verdict = judge(study, trial, token, values)
            if verdict == "taken":
                state = "failed" if values is None else "done"
                fields = {"values": values, "finished": self._clock(), "lease_until": None, "note": note}
                held.change(number, state=state, **fields)
            elif verdict == "late":
                kept = held.late.get((number, token))
                if kept is not None:
                    same_late_answer(study, kept, values)
                else:
                    reason = too_late(trial, token)
                    held.late[number, token] = Evidence(number, token, values, self._clock(), reason, note)
            return verdict != "late"

    def _changed(self, study: StudyRecord, since: int) -> Changes:
        with self._lock:
            held = self._of(study)
            changed = sorted(set(held.log[max(since, 0) :]))
            return Changes(max(since, len(held.log)), tuple(map(held.trial, changed)))

    def _read(self, study: StudyRecord, number: int) -> TrialRecord:
        with self._lock:
            return self._of(study).trial(self._trial(study, number).number)

    def counts(self, study: StudyRecord) -> Counts:
        with self._lock:
            held = self._of(study)
            waiting = sum(held.trials[number].state == "waiting" for number in held.open)
            done = len(held.trials) - len(held.open) - held.failed
            return Counts(waiting, len(held.open) - waiting, done, held.failed)

    def evidence(self, study: StudyRecord) -> tuple[Evidence, ...]:
        with self._lock:
            held = self._of(study)
            return tuple(held.late[key] for key in sorted(held.late))

    def close(self) -> None:
        """Nothing to let go of: the studies stay as long as the object."""
