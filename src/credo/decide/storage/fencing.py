"""Who may answer a trial: the rules of tokens, answers and leases, written once for every storage."""

from typing import Literal

from credo.decide.storage.records import Evidence, StudyRecord, TrialRecord
from credo.errors import ConflictError, InputError

__all__ = [
    "Verdict",
    "judge",
    "lost_lease",
    "missing_study",
    "missing_trial",
    "require_number",
    "same_late_answer",
    "too_late",
]

#: An answer is taken, was already taken, or came after the trial had gone to somebody else.
Verdict = Literal["taken", "repeated", "late"]


def judge(study: StudyRecord, trial: TrialRecord, token: int, values: tuple[float, ...] | None) -> Verdict:
    """What becomes of an answer to `trial` as it stands now.

    >>> study = StudyRecord(1, "reactor", {}, 0.0)
    >>> judge(study, TrialRecord(0, {}, "running", token=2), 2, (1.5,))
    'taken'
    >>> judge(study, TrialRecord(0, {}, "running", token=2), 1, (1.5,))
    'late'
    """
    if not 0 < token <= trial.token:
        raise InputError(
            "tell",
            f"trial {trial.number} of study {study.name!r} was never handed out with token {token}",
            f"It was handed out {trial.token} times" if trial.token else "Nobody has claimed it yet",
            "Pass the token of the trial that was asked for",
        )
    if token < trial.token:
        return "late"
    if not trial.is_finished:
        return "taken"
    if trial.values == values:
        return "repeated"
    raise ConflictError(
        "tell",
        f"trial {trial.number} of study {study.name!r} was already told {_said(trial.values)}, and is now told "
        f"{_said(values)}",
        "An answer is final",
        "Enqueue the same parameters to measure them again",
    )


def same_late_answer(study: StudyRecord, kept: Evidence, values: tuple[float, ...] | None) -> None:
    """Refuse a second late answer that differs from the first of the same holder."""
    if kept.values != values:
        raise ConflictError(
            "tell",
            f"trial {kept.number} of study {study.name!r} was told {_said(kept.values)} late, and is now told "
            f"{_said(values)} with the same token",
            "An answer is final, also as evidence",
        )


def too_late(trial: TrialRecord, token: int) -> str:
    """Why a late answer is not taken, in a sentence."""
    return f"The lease of token {token} had run out and the trial was handed out again, with token {trial.token}."


def lost_lease(study: StudyRecord, trial: TrialRecord, token: int) -> ConflictError:
    """Why a lease cannot be renewed."""
    what = (
        f"trial {trial.number} of study {study.name!r} has its answer"
        if trial.is_finished
        else f"trial {trial.number} of study {study.name!r} is not held by token {token} (now {trial.token})"
    )
    return ConflictError("renew", what, "The lease had run out, or was given back", "Stop the work on it and ask again")


def require_number(study: StudyRecord, wanted: int | None, number: int) -> None:
    """Refuse to add a trial under another number than it was made for."""
    if wanted is not None and wanted != number:
        what = f"the next trial of study {study.name!r} is {number}, not {wanted}"
        raise ConflictError("add_running", what, "Somebody else added one meanwhile", "Read the trials and ask again")


def missing_study(name: str) -> InputError:
    """There is no study of that name, or no longer."""
    return InputError(
        "Storage", f"there is no study {name!r}", "It was deleted, or the name is misspelt", "See list_studies()"
    )


def missing_trial(study: StudyRecord, number: int) -> InputError:
    """There is no trial of that number."""
    return InputError("Storage", f"study {study.name!r} has no trial {number}", "", "See trials(study)")


def _said(values: tuple[float, ...] | None) -> str:
    return "that it failed" if values is None else str(values[0] if len(values) == 1 else values)
