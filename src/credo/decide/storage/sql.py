"""Studies in SQLite and PostgreSQL, through one set of statements.

Every change of a study begins by taking the lock of its row, mostly with the update that counts the change. So changes
of one study come one after the other and are numbered in the order in which they can be seen, and no two workers can
get one number or one trial. On SQLite the whole file is one writer's at a time anyway.
"""

import time
from collections.abc import Callable
from typing import Any, final

from sqlalchemy import Connection, Double, bindparam, delete, insert, select

from credo.decide.storage.base import Storage
from credo.decide.storage.database import Database
from credo.decide.storage.fencing import (
    Verdict,
    judge,
    lost_lease,
    missing_study,
    missing_trial,
    require_number,
    same_late_answer,
    too_late,
)
from credo.decide.storage.records import Changes, Counts, Evidence, StudyRecord, TrialRecord
from credo.decide.storage.schema import prepare
from credo.decide.storage.statements import Statements
from credo.decide.storage.tables import evidence, studies, to_evidence, to_study, to_trial, trials, values_text

__all__ = ["SqlStorage"]


@final
class SqlStorage(Storage):
    """Studies in a database, shared by threads, processes and, on PostgreSQL, machines.

    Made by [](#credo.decide.storage.storage_from). It can be pickled, as its address: another process opens the
    database anew. A fork opens connections of its own. `clock` takes the place of the database's; tests pass one.
    """

    def __init__(self, database: Database, *, clock: Callable[[], float] | None = None) -> None:
        prepare(database)
        self._database = database
        self._sql = Statements(
            bindparam("now", callable_=clock or time.time, type_=Double)
            if clock is not None or database.now is None
            else database.now
        )

    def __reduce__(self) -> tuple[Any, ...]:
        from credo.decide.storage.opening import storage_from

        return storage_from, (self._database.address,)

    # -- studies ---------------------------------------------------------------------------------------------------

    def _create_study(self, name: str, definition: str) -> tuple[StudyRecord, bool]:
        named = select(studies).where(studies.c.name == name)
        with self._database.writing() as connection:
            self._database.lock_schema(connection)  # names are rare enough to share that lock
            row = connection.execute(named).first()
            if row is not None:
                return to_study(row), False
            connection.execute(self._sql.new_study, {"name": name, "definition": definition})
            return to_study(connection.execute(named).one()), True

    def load_study(self, name: str) -> StudyRecord:
        with self._database.reading() as connection:
            row = connection.execute(select(studies).where(studies.c.name == name)).first()
        if row is None:
            raise missing_study(name)
        return to_study(row)

    def list_studies(self) -> tuple[StudyRecord, ...]:
        with self._database.reading() as connection:
            return tuple(map(to_study, connection.execute(select(studies).order_by(studies.c.id))))

    def delete_study(self, study: StudyRecord) -> None:
        with self._database.writing() as connection:
            if connection.execute(delete(studies).where(studies.c.id == study.id)).rowcount != 1:
                raise missing_study(study.name)
            connection.execute(delete(trials).where(trials.c.study_id == study.id))
            connection.execute(delete(evidence).where(evidence.c.study_id == study.id))

    # -- handing out -----------------------------------------------------------------------------------------------

    def _enqueue(self, study: StudyRecord, params: str, why: str) -> int:
        with self._database.writing() as connection:
            number, version = self._counted(connection, study, trials=1)
            connection.execute(self._sql.wait, _new(study, number, version, params, why))
            return number

    def _claim_waiting(self, study: StudyRecord, lease: float, worker: str) -> TrialRecord | None:
        key = {"study_id_": study.id}
        # Mostly there is nothing to claim, and to see that needs no lock.
        with self._database.reading() as connection:
            if connection.execute(self._sql.first_free, key).scalar() is None:
                self._require(connection, study)
                return None
        with self._database.writing() as connection:
            _, version = self._counted(connection, study)
            number = connection.execute(self._sql.first_free, key).scalar()
            if number is None:
                connection.rollback()
                return None
            holder = {"number_": number, "worker": worker, "version": version, "lease_": lease}
            return to_trial(connection.execute(self._sql.claim, key | holder).one(), study.name)

    def _add_running(
        self, study: StudyRecord, params: str, why: str, seed: int | None, at: int | None, lease: float, worker: str
    ) -> TrialRecord:
        with self._database.writing() as connection:
            number, version = self._counted(connection, study, trials=1)
            require_number(study, at, number)
            fields = _new(study, number, version, params, why) | {"seed": seed, "worker": worker, "lease_": lease}
            return to_trial(connection.execute(self._sql.run, fields).one(), study.name)

    def _add_finished(self, study: StudyRecord, rows: list[tuple[str, tuple[float, ...] | None]], note: str) -> range:
        failed = sum(values is None for _, values in rows)
        with self._database.writing() as connection:
            first, last = self._counted(connection, study, trials=len(rows), failed=failed, changes=len(rows))
            now = connection.execute(self._sql.now).scalar_one()
            shared = {"token": 1, "worker": "", "note": note, "created": now, "finished": now}
            fields = [
                _new(study, first + i, last - len(rows) + 1 + i, params, "{}")
                | {"answer": values_text(values), "state": _state(values)}
                | shared
                for i, (params, values) in enumerate(rows)
            ]
            if fields:
                connection.execute(insert(trials), fields)
            return range(first, first + len(rows))

    def _renew(self, study: StudyRecord, number: int, token: int, lease: float) -> float:
        held = {"study_id_": study.id, "number_": number, "token_": token}
        with self._database.writing() as connection:
            self._require(connection, study, lock=True)
            until = connection.execute(self._sql.renew, held | {"lease_": lease}).scalar()
            if until is None:
                raise lost_lease(study, self._one(connection, study, number), token)
            return float(until)

    def _tell(self, study: StudyRecord, number: int, token: int, values: tuple[float, ...] | None, note: str) -> bool:
        while not self._answered(study, number, token, values, note):
            verdict = self._looked_at(study, number, token, values, note)
            if verdict != "taken":
                return verdict == "repeated"
        return True

    def _answered(
        self, study: StudyRecord, number: int, token: int, values: tuple[float, ...] | None, note: str
    ) -> bool:
        """Whether the trial was the caller's to answer, which is how it mostly goes, and now is answered."""
        held = {"study_id_": study.id, "number_": number, "token_": token}
        with self._database.writing() as connection:
            _, version = self._counted(connection, study, failed=int(values is None))
            told = {"state": _state(values), "answer": values_text(values), "note": note, "version": version}
            if connection.execute(self._sql.answer, held | told).rowcount == 1:
                return True
            connection.rollback()
            return False

    def _looked_at(
        self, study: StudyRecord, number: int, token: int, values: tuple[float, ...] | None, note: str
    ) -> Verdict:
        """What becomes of an answer to a trial that has one or is in other hands; a late one is kept."""
        with self._database.writing() as connection:
            self._require(connection, study, lock=True)
            trial = self._one(connection, study, number)
            verdict = judge(study, trial, token, values)
            if verdict == "late":
                key = {"study_id": study.id, "number": number, "token": token}
                row = connection.execute(self._sql.kept, {f"{name}_": value for name, value in key.items()}).first()
                if row is None:
                    fields = {"answer": values_text(values), "reason": too_late(trial, token), "note": note}
                    connection.execute(self._sql.keep, key | fields)
                else:
                    same_late_answer(study, to_evidence(row, study.name), values)
            return verdict

    # -- reading ---------------------------------------------------------------------------------------------------

    def _changed(self, study: StudyRecord, since: int) -> Changes:
        with self._database.reading() as connection:
            # One statement, so that it saw one moment; the last version in it is the study's of that moment.
            rows = connection.execute(self._sql.changed, {"study_id_": study.id, "since_": since}).all()
            if not rows:
                self._require(connection, study)
        found = sorted((to_trial(row, study.name) for row in rows), key=lambda trial: trial.number)
        return Changes(rows[-1].version if rows else max(since, 0), tuple(found))

    def _read(self, study: StudyRecord, number: int) -> TrialRecord:
        with self._database.reading() as connection:
            self._require(connection, study)
            return self._one(connection, study, number)

    def counts(self, study: StudyRecord) -> Counts:
        with self._database.reading() as connection:
            row = connection.execute(self._sql.counts, {"study_id_": study.id}).first()
        if row is None:
            raise missing_study(study.name)
        total, failed, waiting, running = row
        return Counts(waiting, running, total - failed - waiting - running, failed)

    def evidence(self, study: StudyRecord) -> tuple[Evidence, ...]:
        with self._database.reading() as connection:
            self._require(connection, study)
            rows = connection.execute(self._sql.evidence, {"study_id_": study.id})
            return tuple(to_evidence(row, study.name) for row in rows)

    def close(self) -> None:
        self._database.close()

    # -- inside a transaction --------------------------------------------------------------------------------------

    def _counted(
        self, connection: Connection, study: StudyRecord, *, changes: int = 1, trials: int = 0, failed: int = 0
    ) -> tuple[int, int]:
        """Count what this transaction changes, which locks the study; the first new number, the last version."""
        amounts = {"study_id_": study.id, "changes_": changes, "trials_": trials, "failed_": failed}
        row = connection.execute(self._sql.count, amounts).first()
        if row is None:
            raise missing_study(study.name)
        next_number, version = row
        return next_number - trials, version

    def _require(self, connection: Connection, study: StudyRecord, *, lock: bool = False) -> None:
        """Refuse a study that is not there, and where asked keep all others from changing it."""
        there = self._sql.lock if lock else self._sql.study
        if connection.execute(there, {"study_id_": study.id}).first() is None:
            raise missing_study(study.name)

    def _one(self, connection: Connection, study: StudyRecord, number: int) -> TrialRecord:
        row = connection.execute(self._sql.trial, {"study_id_": study.id, "number_": number}).first()
        if row is None:
            raise missing_trial(study, number)
        return to_trial(row, study.name)


def _new(study: StudyRecord, number: int, version: int, params: str, why: str) -> dict[str, Any]:
    fields = {"study_id": study.id, "number": number, "born": version, "version": version}
    return fields | {"params": params, "why": why}


def _state(values: tuple[float, ...] | None) -> str:
    return "failed" if values is None else "done"
