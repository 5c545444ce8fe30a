"""Measuring with a function: one after the other, or many workers at once that share the storage of a study."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed

from credo.decide.storage.memory import MemoryStorage
from credo.errors import ConflictError, CredoError, InputError, StorageError
from credo.numerics.progress import tracker

if TYPE_CHECKING:
    from credo.decide.study.base import StoredStudy
    from credo.decide.study.trial import Trial

__all__ = ["CannotMeasureError", "measure", "measured", "run"]

_BEATS = 3.0  # renewals in the length of a lease


class CannotMeasureError(InputError):
    """Raised by a function that can measure no trial at all: the one it was given is not to blame, and goes back."""


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


def measured(
    study: "StoredStudy",
    function: Callable[[dict[str, Any]], Any],
    n_trials: int | None = None,
    *,
    failures: int | None = None,
) -> "Iterator[Trial]":
    """One trial after the other, each as it stands once it is told: so many, or without end.

    It ends early where `failures` of its own have failed in a row: who cannot measure would fill a study with nothing.
    """
    count = in_a_row = 0
    while (n_trials is None or count < n_trials) and (failures is None or in_a_row < failures):
        trial = study.trial(measure(study, function))
        yield trial
        count, in_a_row = count + 1, in_a_row + 1 if trial.state == "failed" else 0


def measure(study: "StoredStudy", function: Callable[[dict[str, Any]], Any]) -> int:
    """One trial from ask to tell; its number. An error of the function is a failed trial with the error as its note.

    Where the function can measure nothing, or its result does not fit the study, no trial of it will do better: that is
    an error at once, and somebody else may have the trial.
    """
    trial = study.ask()
    try:
        with _held(study, trial):
            outcome, note = _outcome(study, trial, function)
    except CredoError:
        study.give_back(trial)
        raise
    study.tell(trial, outcome, failed=outcome is None, note=note)
    return trial.number


def _outcome(study: "StoredStudy", trial: "Trial", function: Callable[[dict[str, Any]], Any]) -> tuple[Any, str]:
    """What to tell of a trial, or None and why it counts as failed."""
    try:
        result = function(dict(trial.params))
    except CannotMeasureError:
        raise
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    values = study.goal.in_order("tell", result)
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
