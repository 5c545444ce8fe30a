"""One random history on memory, SQLite and PostgreSQL: after every step all that can be observed is the same.

Beside them runs a model that is written another way: plain facts about who holds what until when, and what was said.
"""

import dataclasses

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import event

from credo.decide.storage import MemoryStorage
from credo.decide.storage.postgres import postgres_database
from credo.decide.storage.sql import SqlStorage
from credo.decide.storage.sqlite import sqlite_database
from credo.errors import ConflictError, CredoError, InputError
from throwaway_postgres import postgres_programs

NAMES = st.sampled_from(["a", "b"])
PARAMS = st.dictionaries(st.sampled_from(["x", "y"]), st.integers(0, 3) | st.sampled_from(["water", 0.1, None]))
ANSWERS = st.sampled_from([None, (1.0,), (2.0,), (1.0, 0.1)])
LEASES = st.sampled_from([1.0, 10.0, 100.0])
NUMBERS, TOKENS = st.integers(0, 7), st.integers(0, 3)


@dataclasses.dataclass
class Fact:
    """A trial as the model knows it: handed out so often, held until then, answered so; what was said late."""

    handed: int = 0
    until: float = 0.0
    said: list = dataclasses.field(default_factory=list)
    late: dict = dataclasses.field(default_factory=dict)


class History(RuleBasedStateMachine):
    """Every rule does the same to all storages and compares what came out of them, errors included."""

    def __init__(self, storages, clock):
        super().__init__()
        self.storages, self.clock = storages, clock
        self.studies, self.facts = {}, {}

    def both(self, act):
        """What all storages said to the same call: one value, or one error in one wording."""
        outcomes = []
        for i, storage in enumerate(self.storages):
            try:
                outcomes.append(act(storage, lambda name, i=i: self.studies[name][i]))
            except CredoError as error:
                outcomes.append((type(error), str(error)))
        assert all(outcome == outcomes[0] for outcome in outcomes), outcomes
        return outcomes[0]

    def expect(self, outcome, kind):
        assert isinstance(outcome, tuple), outcome
        assert outcome[0] is kind, outcome

    @initialize()
    def start(self):
        for storage in self.storages:
            for study in storage.list_studies():
                storage.delete_study(study)
        for name in ("a", "b"):
            self.create(name)

    def create(self, name):
        self.studies[name] = [storage.create_study(name, {"n": 1}) for storage in self.storages]
        self.facts[name] = []

    @rule(name=NAMES)
    def replace_study(self, name):
        self.both(lambda storage, of: storage.delete_study(of(name)))
        self.expect(self.both(lambda storage, of: storage.counts(of(name))), InputError)
        self.create(name)

    @rule(name=NAMES, same=st.booleans())
    def create_again(self, name, same):
        outcome = self.both(
            lambda storage, of: storage.create_study(name, {"n": 1 if same else 2}, exist_ok=True) == of(name)
        )
        assert outcome is True if same else outcome[0] is ConflictError

    @rule(name=NAMES, params=PARAMS)
    def enqueue(self, name, params):
        assert self.both(lambda storage, of: storage.enqueue(of(name), params)) == len(self.facts[name])
        self.facts[name].append(Fact())

    @rule(name=NAMES, params=PARAMS, lease=LEASES, seed=st.none() | st.integers(0, 2**63 - 1))
    def add_running(self, name, params, lease, seed):
        trial = self.both(lambda storage, of: storage.add_running(of(name), params, lease=lease, seed=seed, worker="w"))
        assert (trial.number, trial.token, trial.seed) == (len(self.facts[name]), 1, seed)
        self.facts[name].append(Fact(handed=1, until=self.clock.time + lease))

    @rule(name=NAMES, rows=st.lists(st.tuples(PARAMS, ANSWERS), max_size=3))
    def add_finished(self, name, rows):
        numbers = self.both(lambda storage, of: storage.add_finished(of(name), rows, note="past"))
        assert list(numbers) == list(range(len(self.facts[name]), len(self.facts[name]) + len(rows)))
        self.facts[name] += [Fact(handed=1, said=[values]) for _, values in rows]

    @rule(name=NAMES, lease=LEASES, worker=st.sampled_from(["v", "w"]))
    def claim(self, name, lease, worker):
        trial = self.both(lambda storage, of: storage.claim_waiting(of(name), lease=lease, worker=worker))
        now = self.clock.time
        free = [
            i for i, fact in enumerate(self.facts[name]) if not fact.said and (not fact.handed or fact.until <= now)
        ]
        assert (trial and trial.number) == (free[0] if free else None)
        if free:
            fact = self.facts[name][free[0]]
            fact.handed, fact.until = fact.handed + 1, now + lease
            assert (trial.token, trial.worker) == (fact.handed, worker)

    @rule(name=NAMES, number=NUMBERS, token=TOKENS, lease=LEASES | st.just(0.0))
    def renew(self, name, number, token, lease):
        outcome = self.both(lambda storage, of: storage.renew(of(name), number, token, lease))
        if number >= len(self.facts[name]):
            return self.expect(outcome, InputError)
        fact = self.facts[name][number]
        if fact.said or not fact.handed or token != fact.handed:
            return self.expect(outcome, ConflictError)
        fact.until = self.clock.time + lease
        assert outcome == fact.until
        return None

    @rule(name=NAMES, number=NUMBERS, back=st.integers(0, 2), values=ANSWERS)
    def tell(self, name, number, back, values):
        known = number < len(self.facts[name])
        fact = self.facts[name][number] if known else Fact()
        token = fact.handed - back + 1  # mostly the latest or one before, sometimes one that nobody has
        outcome = self.both(
            lambda storage, of: storage.tell(of(name), number, token, values, failed=values is None, note="n")
        )
        if not known or not 0 < token <= fact.handed:
            return self.expect(outcome, InputError)
        before = fact.said if token == fact.handed else fact.late.setdefault(token, [])
        if before and before[0] != values:
            return self.expect(outcome, ConflictError)
        before[:] = [values]
        assert outcome is (token == fact.handed)
        return None

    @rule(seconds=st.sampled_from([0.5, 1.0, 10.0, 60.0]))
    def wait(self, seconds):
        self.clock.time += seconds

    @rule(name=NAMES, since=st.integers(-1, 30))
    def read_news(self, name, since):
        self.both(lambda storage, of: storage.trials(of(name), since=since))

    @invariant()
    def everything_observable_is_the_same(self):
        for name, facts in self.facts.items():
            version, trials = self.both(lambda storage, of, name=name: storage.trials(of(name)))
            evidence = self.both(lambda storage, of, name=name: storage.evidence(of(name)))
            counts = self.both(lambda storage, of, name=name: storage.counts(of(name)))
            assert [trial.number for trial in trials] == list(range(len(facts))), "a number is missing or twice"
            assert [trial.token for trial in trials] == [fact.handed for fact in facts]
            assert [trial.values for trial in trials] == [fact.said[0] if fact.said else None for fact in facts]
            assert [trial.is_finished for trial in trials] == [bool(fact.said) for fact in facts]
            assert counts == tuple(
                sum(trial.state == state for trial in trials) for state in ("waiting", "running", "done", "failed")
            )
            assert version == max((trial.version for trial in trials), default=0)
            assert len({trial.version for trial in trials}) == len(trials)
            late = {(i, token): said[0] for i, fact in enumerate(facts) for token, said in fact.late.items() if said}
            assert {(kept.number, kept.token): kept.values for kept in evidence} == late

    @invariant()
    def studies_are_listed_alike(self):
        listed = self.both(lambda storage, of: [(s.name, dict(s.definition)) for s in storage.list_studies()])
        assert sorted(listed) == [("a", {"n": 1}), ("b", {"n": 1})]


def _unsynced(database):
    """What a history says does not depend on the disk: this one is only about that."""

    @event.listens_for(database.engine, "connect")
    def configure(connection, record):
        connection.execute("PRAGMA synchronous=OFF")

    return database


def _run(storages, clock, examples, steps):
    run_state_machine_as_test(
        lambda: History(storages, clock), settings=settings(max_examples=examples, stateful_step_count=steps)
    )
    for storage in storages:
        storage.close()


def test_the_same_history_in_memory_and_on_sqlite(tmp_path, clock):
    database = _unsynced(sqlite_database(str(tmp_path / "study.db")))
    _run([MemoryStorage(clock=clock), SqlStorage(database, clock=clock)], clock, 12, 25)


@pytest.mark.skipif(postgres_programs() is None, reason="there is no PostgreSQL on this machine")
def test_the_same_history_in_memory_and_on_postgresql(clock, new_database):
    _run([MemoryStorage(clock=clock), SqlStorage(postgres_database(new_database()), clock=clock)], clock, 5, 20)


@pytest.mark.slow
def test_the_same_long_history_everywhere(tmp_path, clock, new_database):
    sqlite = SqlStorage(_unsynced(sqlite_database(str(tmp_path / "study.db"))), clock=clock)
    postgres = SqlStorage(postgres_database(new_database()), clock=clock)
    _run([MemoryStorage(clock=clock), sqlite, postgres], clock, 60, 60)
