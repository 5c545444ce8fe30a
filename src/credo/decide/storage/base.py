"""`Storage`: what a study needs of the place it is kept in. Input is checked here, once for all of them."""

import abc
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, final

from credo.decide.storage import checked
from credo.decide.storage.records import Changes, Counts, Evidence, StudyRecord, TrialRecord
from credo.errors import ConflictError, InputError

__all__ = ["Storage"]

_MAX_SEED = 2**63


class Storage(abc.ABC):
    """Keeps studies and their trials, for many workers at once, and loses nothing that it has acknowledged.

    Every method is one transaction: it happened as a whole when it returns, and not at all when it raises. The laws:

    - Numbers come from a counter: unique, in order, without gaps.
    - A trial is handed out to one worker, with a `token` and for a lease. When the lease runs out the trial goes to the
      next who asks, with a larger token, and the first holder cannot answer it any more.
    - An answer is final. The same again changes nothing; another is a [](#credo.errors.ConflictError). One that comes
      after the trial went to somebody else is kept as evidence and overwrites nothing.
    - A study counts its changes. `trials(study, since=version)` reads only what changed, at a cost that does not grow
      with the number of trials.

    Leases are measured by the clock of the storage: of this machine in memory and on SQLite, of the server on
    PostgreSQL, so that the clocks of the workers may disagree. A clock that jumps can end leases early; the tokens keep
    answers apart even then.
    """

    # -- studies ---------------------------------------------------------------------------------------------------

    @final
    def create_study(self, name: str, definition: Mapping[str, Any], *, exist_ok: bool = False) -> StudyRecord:
        """A new study. With `exist_ok` the one of that name, if it has the same definition."""
        who = "create_study"
        name, text = checked.study_name(who, name), checked.as_json(who, "definition", definition)
        study, is_new = self._create_study(name, text)
        if is_new:
            return study
        if not exist_ok:
            raise ConflictError(
                who,
                f"there already is a study named {name!r}",
                "",
                "Choose another name, or continue that one with exist_ok=True",
            )
        if checked.as_json(who, "definition", study.definition) != text:
            raise ConflictError(
                who,
                f"the study named {name!r} was defined otherwise",
                f"It differs in {', '.join(_differences(study.definition, json.loads(text)))}",
                "Choose another name, or define it as it was",
            )
        return study

    @abc.abstractmethod
    def load_study(self, name: str) -> StudyRecord:
        """The study of that name."""

    @abc.abstractmethod
    def list_studies(self) -> tuple[StudyRecord, ...]:
        """All studies, in the order in which they were created."""

    @abc.abstractmethod
    def delete_study(self, study: StudyRecord) -> None:
        """Forget a study with its trials and evidence. Whoever still works on it gets an error, and harms no other."""

    # -- handing out -----------------------------------------------------------------------------------------------

    @final
    def enqueue(self, study: StudyRecord, params: Mapping[str, Any], *, why: Mapping[str, Any] | None = None) -> int:
        """A trial that waits for a worker; its number."""
        who = "enqueue"
        return self._enqueue(study, checked.as_json(who, "params", params), checked.as_json(who, "why", why or {}))

    @final
    def claim_waiting(self, study: StudyRecord, *, lease: float, worker: str = "") -> TrialRecord | None:
        """The trial of the lowest number that waits or whose lease has run out, now running; None if there is none.

        Its `token` says how often it was handed out: a trial that has killed three workers may kill the fourth.
        """
        return self._claim_waiting(study, checked.lease_seconds("claim_waiting", lease), checked.plain_text(worker))

    @final
    def add_running(
        self,
        study: StudyRecord,
        params: Mapping[str, Any],
        *,
        lease: float,
        why: Mapping[str, Any] | None = None,
        seed: Any = None,
        number: Any = None,
        worker: str = "",
    ) -> TrialRecord:
        """A new trial that the caller has in hand.

        With a `number` it must get that one: a [](#credo.errors.ConflictError) says that others were added since the
        caller looked, so that two who look at the same trials do not add the same.
        """
        who = "add_running"
        seed = None if seed is None else checked.whole(who, "seed", seed)
        number = None if number is None else checked.whole(who, "number", number)
        if seed is not None and not 0 <= seed < _MAX_SEED:
            raise InputError(who, f"seed is {seed}", "A seed is between 0 and 2^63 - 1", "Try seed=0")
        texts = checked.as_json(who, "params", params), checked.as_json(who, "why", why or {})
        return self._add_running(
            study, *texts, seed, number, checked.lease_seconds(who, lease), checked.plain_text(worker)
        )

    @final
    def add_finished(
        self, study: StudyRecord, rows: Iterable[tuple[Mapping[str, Any], Any]], *, note: str = ""
    ) -> range:
        """Past runs as trials with their answers, all or none; their numbers.

        A row is (params, values), with None for the values of a run that failed.
        """
        who = "add_finished"
        checked_rows = [
            (checked.as_json(who, "params", params), checked.answer(who, values, values is None))
            for params, values in rows
        ]
        return self._add_finished(study, checked_rows, checked.plain_text(note))

    @final
    def renew(self, study: StudyRecord, number: Any, token: Any, lease: float) -> float:
        """Until when the trial is the holder's now. With `lease=0.0` it gives the trial back.

        Renewals are no change of the study that `trials` would show. Raises [](#credo.errors.ConflictError) when the
        trial is answered or in other hands: the work on it can stop.
        """
        number, token = checked.whole("renew", "number", number), checked.whole("renew", "token", token)
        return self._renew(study, number, token, checked.lease_seconds("renew", lease, minimum=-math.ulp(0.0)))

    @final
    def tell(
        self, study: StudyRecord, number: Any, token: Any, values: Any = None, *, failed: bool = False, note: str = ""
    ) -> bool:
        """Answer a trial with its value or values, or with `failed=True`. Whether the answer is now the trial's.

        Safe to repeat: the same answer again is a no-op, another raises [](#credo.errors.ConflictError). False says
        that the lease had run out and the trial was handed on; the answer is then kept as evidence. An answer after the
        lease is taken while nobody else has the trial. The note is not part of the answer.
        """
        number, token = checked.whole("tell", "number", number), checked.whole("tell", "token", token)
        return self._tell(study, number, token, checked.answer("tell", values, failed), checked.plain_text(note))

    # -- reading ---------------------------------------------------------------------------------------------------

    @final
    def trials(self, study: StudyRecord, since: Any = 0) -> Changes:
        """The trials that changed after version `since`, by number, and the version up to which this is all."""
        return self._changed(study, checked.whole("trials", "since", since))

    @final
    def trial(self, study: StudyRecord, number: Any) -> TrialRecord:
        """One trial."""
        return self._read(study, checked.whole("trial", "number", number))

    @abc.abstractmethod
    def counts(self, study: StudyRecord) -> Counts:
        """How many trials stand where; at the cost of those that are open, whatever their total."""

    @abc.abstractmethod
    def evidence(self, study: StudyRecord) -> tuple[Evidence, ...]:
        """The answers that came too late, by trial and token."""

    @abc.abstractmethod
    def close(self) -> None:
        """Let go of files and connections."""

    # -- what a storage reads and writes: as above, after the checks, JSON as text ---------------------------------

    @abc.abstractmethod
    def _create_study(self, name: str, definition: str) -> tuple[StudyRecord, bool]:
        """The study of that name, and whether it is new."""

    @abc.abstractmethod
    def _changed(self, study: StudyRecord, since: int) -> Changes: ...

    @abc.abstractmethod
    def _read(self, study: StudyRecord, number: int) -> TrialRecord: ...

    @abc.abstractmethod
    def _enqueue(self, study: StudyRecord, params: str, why: str) -> int: ...

    @abc.abstractmethod
    def _claim_waiting(self, study: StudyRecord, lease: float, worker: str) -> TrialRecord | None: ...

    @abc.abstractmethod
    def _add_running(
        self, study: StudyRecord, params: str, why: str, seed: int | None, at: int | None, lease: float, worker: str
    ) -> TrialRecord: ...

    @abc.abstractmethod
    def _add_finished(
        self, study: StudyRecord, rows: list[tuple[str, tuple[float, ...] | None]], note: str
    ) -> range: ...

    @abc.abstractmethod
    def _renew(self, study: StudyRecord, number: int, token: int, lease: float) -> float: ...

    @abc.abstractmethod
    def _tell(
        self, study: StudyRecord, number: int, token: int, values: tuple[float, ...] | None, note: str
    ) -> bool: ...


def _differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    keys = sorted({*stored, *wanted})
    return [repr(key) for key in keys if key not in stored or key not in wanted or stored[key] != wanted[key]]
