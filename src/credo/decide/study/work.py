"""Measuring with a function: one after the other, or many workers at once that share the storage of a study."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed

from credo.decide.storage.memory import MemoryStorage
from credo.errors import ConflictError, InputError, StorageError
from credo.numerics.progress import tracker

if TYPE_CHECKING:
    from credo.decide.study.base import StoredStudy
    from credo.decide.study.trial import Trial

__all__ = ["measure", "run"]

_BEATS = 3.0  # renewals in the length of a lease


def run(study: "StoredStudy", function: Callable[[dict[str, Any]], Any], n_trials: int, n_jobs: int) -> None:
    """So many trials: each worker asks, measures and tells on its own, and then takes the next.

    A study in memory is measured by threads. A stored one goes through joblib's backend of the moment, each worker with
    connections of its own: processes of this machine, or a cluster under ``joblib.parallel_config("dask")``.
    """
    with tracker("Study", n_trials) as track:
        if n_jobs == 1:
            for _ in range(n_trials):
                measure(study, function)
                track.advance()
            return
        shared = {"require": "sharedmem"} if isinstance(study.storage, MemoryStorage) else {}
        work = (delayed(measure)(study, function) for _ in range(n_trials))
        for _ in Parallel(n_jobs=n_jobs, return_as="generator_unordered", **shared)(work):
            track.advance()


def measure(study: "StoredStudy", function: Callable[[dict[str, Any]], Any]) -> int:
    """One trial from ask to tell; its number. An error of the function is a failed trial with the error as its note."""
    trial = study.ask()
    with _held(study, trial):
        try:
            result = function(dict(trial.params))
        except Exception as error:
            outcome, note = None, f"{type(error).__name__}: {error}"
        else:
            outcome, note = _outcome(study, trial, result)
    study.tell(trial, outcome, failed=outcome is None, note=note)
    return trial.number


def _outcome(study: "StoredStudy", trial: "Trial", result: Any) -> tuple[Any, str]:
    """What to tell of a result, or why it counts as failed. One that does not fit the study is an error at once: no
    trial of this function ever will, so that the trial is given back."""
    try:
        values = study.goal.in_order("tell", result)
    except InputError:
        study.give_back(trial)
        raise
    reason = study.goal.why_not(values)
    return (values, "") if reason is None else (None, ". ".join(reason[:2]))


@contextmanager
def _held(study: "StoredStudy", trial: "Trial") -> Iterator[None]:
    """The lease renewed while a measurement takes, so that only a worker that died loses its trial."""
    done = threading.Event()

    def beat() -> None:
        while not done.wait(study.lease / _BEATS):
            try:
                study.storage.renew(study.record, trial.number, trial.token, study.lease)
            except ConflictError:
                return  # it is in other hands; the answer will be kept as evidence
            except StorageError:
                continue  # a server that restarts is back at the next beat

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
