"""The statements that change and read a study, built once: to build one takes longer than to run it."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    BindParameter,
    ColumnElement,
    Double,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
    update,
)

from credo.decide.storage.tables import evidence, studies, trials

__all__ = ["Statements"]


class Statements:
    """Statements for one clock, an expression for the seconds since 1970; what they are given has the column's name.

    Names that mean no new value of a column carry an underscore: those of where-clauses, and amounts that are added.
    """

    def __init__(self, now: ColumnElement[float]) -> None:
        study_id, number, token = _given("study_id"), _given("number"), _given("token")
        until = now + bindparam("lease_", type_=Double)
        of_study = trials.c.study_id == study_id
        is_trial = and_(of_study, trials.c.number == number)
        held = and_(is_trial, trials.c.token == token, trials.c.state == "running")
        is_open = trials.c.open_in == study_id
        free = or_(trials.c.state == "waiting", trials.c.lease_until <= now)

        self.now: Final = select(now)
        # -- the study's row; whoever changes it has the study to himself until the transaction ends
        self.study: Final = select(studies.c.id).where(studies.c.id == study_id)
        self.lock: Final = self.study.with_for_update()
        self.count: Final = (
            update(studies)
            .where(studies.c.id == study_id)
            .values(
                version=studies.c.version + _given("changes"),
                next_number=studies.c.next_number + _given("trials"),
                failed=studies.c.failed + _given("failed"),
            )
            .returning(studies.c.next_number, studies.c.version)
        )
        self.new_study: Final = insert(studies).values(
            name=bindparam("name"), definition=bindparam("definition"), created=now, next_number=0, version=0, failed=0
        )
        # -- trials
        new = ("study_id", "number", "params", "why", "born", "version")
        fresh = insert(trials).values({name: bindparam(name) for name in new})
        fresh = fresh.values(created=now, note="", open_in=bindparam("study_id"))
        self.wait: Final = fresh.values(state="waiting", token=0, worker="")
        self.run: Final = fresh.values(
            state="running", token=1, lease_until=until, seed=bindparam("seed"), worker=bindparam("worker")
        ).returning(*trials.c)
        self.first_free: Final = select(trials.c.number).where(is_open, free).order_by(trials.c.number).limit(1)
        self.claim: Final = (
            update(trials)
            .where(is_trial)
            .values(state="running", token=trials.c.token + 1, lease_until=until)
            .values(worker=bindparam("worker"), version=bindparam("version"))
            .returning(*trials.c)
        )
        self.renew: Final = update(trials).where(held).values(lease_until=until).returning(trials.c.lease_until)
        told = ("state", "answer", "note", "version")
        self.answer: Final = (
            update(trials)
            .where(held)
            .values(finished=now, lease_until=None, open_in=None, **{name: bindparam(name) for name in told})
        )
        self.trial: Final = select(trials).where(is_trial)
        # Not by number: to avoid sorting a few new rows, a database would walk through all old ones in that order.
        self.changed: Final = (
            select(trials).where(of_study, trials.c.version > _given("since")).order_by(trials.c.version)
        )
        # Those that are open are counted on their small index, the others follow from the counters.
        waiting, running = (
            select(func.count(trials.c.number)).where(is_open, trials.c.state == state).scalar_subquery()
            for state in ("waiting", "running")
        )
        self.counts: Final = select(studies.c.next_number, studies.c.failed, waiting, running).where(
            studies.c.id == study_id
        )
        # -- evidence
        of_evidence = evidence.c.study_id == study_id
        self.evidence: Final = select(evidence).where(of_evidence).order_by(evidence.c.number, evidence.c.token)
        self.kept: Final = select(evidence).where(of_evidence, evidence.c.number == number, evidence.c.token == token)
        columns = ("study_id", "number", "token", "answer", "reason", "note")
        self.keep: Final = insert(evidence).values(received=now, **{name: bindparam(name) for name in columns})


def _given(name: str) -> BindParameter[int]:
    return bindparam(f"{name}_", type_=BigInteger)
