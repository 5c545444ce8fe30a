"""Every error and warning of credo, in one voice.

A message reads ``{Who}: {what is wrong, with the value}. {Likely cause}. {What to try}.``
"""

__all__ = [
    "ConflictError",
    "ConvergenceWarning",
    "CredoError",
    "CredoWarning",
    "DependencyError",
    "FileError",
    "IndefiniteKernelWarning",
    "InputError",
    "MissingFileError",
    "NotPositiveDefiniteError",
    "NumericalError",
    "PrecisionError",
    "StorageError",
    "TooLargeError",
    "UndefinedError",
    "message",
]


def message(who: str, what: str, cause: str = "", remedy: str = "") -> str:
    """The sentence every error is made of: who, what is wrong, the likely cause, what to try.

    >>> message("Normal", "scale is -1.0", "A standard deviation is positive", "Try scale=1.0")
    'Normal: scale is -1.0. A standard deviation is positive. Try scale=1.0.'
    """
    sentences = [part.strip().rstrip(".") + "." for part in (what, cause, remedy) if part.strip()]
    return f"{who}: " + " ".join(sentences)


class CredoError(Exception):
    """What every error of credo derives from; built from the parts of its sentence."""

    def __init__(self, who: str, what: str = "", cause: str = "", remedy: str = "") -> None:
        # With one argument it is a finished sentence: this is how pickle and copy rebuild an exception.
        super().__init__(message(who, what, cause, remedy) if what else who)


class InputError(CredoError, ValueError):
    """The input cannot be used: wrong shape, wrong type, not finite, outside its support."""


class UndefinedError(CredoError):
    """The question has no answer for this object: the quantile of a vector, the split of a plug-in fit."""


class NumericalError(CredoError, ArithmeticError):
    """The computation broke down on input that looked right."""


class NotPositiveDefiniteError(NumericalError, ValueError):
    """A matrix that must be positive definite is not, even with the largest jitter allowed."""


class TooLargeError(InputError):
    """An exact answer would take more memory or time than there is; the message has the figures and an alternative."""


class PrecisionError(CredoError):
    """64 bit arithmetic was switched off after credo was imported."""


class FileError(CredoError, ValueError):
    """A file is not what it says it is: truncated, altered, of another version or not credo's."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no file at the path."""


class StorageError(CredoError, OSError):
    """The place where studies are kept cannot be used now: a full or read-only disk, a lock, a server out of reach."""


class ConflictError(CredoError):
    """What was asked contradicts what is stored: another answer to a finished trial, a lost lease, a name in use."""


class DependencyError(CredoError, ImportError):
    """An optional package is missing; the message says which extra brings it."""


class CredoWarning(UserWarning):
    """What every warning of credo derives from."""


class ConvergenceWarning(CredoWarning):
    """An iteration stopped before its tolerance; the certificate says how far it came."""


class IndefiniteKernelWarning(CredoWarning):
    """A similarity is used as a kernel but is none: its matrices may have negative eigenvalues."""
