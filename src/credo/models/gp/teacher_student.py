"""Can kernels be told apart on these points? Data drawn from each, evidence asked of all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from credo.errors import InputError
from credo.kernels import Kernel
from credo.numerics.cholesky import Factor, cholesky
from credo.numerics.random import RandomState, as_key
from credo.numerics.scalar import LOG_2PI

__all__ = ["TeacherStudent", "teacher_student"]


@dataclass(frozen=True)
class TeacherStudent:
    """Row t is a teacher, from which data were drawn; column s a student, who was asked for their evidence.

    `log_evidence` is the expected log evidence, exact; `lost` how many nats a student expects to lose to the teacher
    (the Kullback–Leibler divergence, zero on the diagonal, exact); `chosen` the share of the drawn data sets in which
    the student had the highest evidence, and `standard_error` that of it.
    """

    kernels: tuple[str, ...]
    log_evidence: np.ndarray
    lost: np.ndarray
    chosen: np.ndarray
    standard_error: np.ndarray
    draws: int

    def __str__(self) -> str:
        names = [f"({i + 1})" for i in range(len(self.kernels))]
        rows = [f"{name} {kernel}" for name, kernel in zip(names, self.kernels, strict=True)]
        head = "teacher  " + "".join(f"{name:>16}" for name in names)
        table = [
            f"{name:<9}" + "".join(f"{share:>8.0%}{-loss:>8.1f}" for share, loss in zip(shares, losses, strict=True))
            for name, shares, losses in zip(names, self.chosen, self.lost, strict=True)
        ]
        note = f"share of {self.draws} drawn data sets in which a student wins, and nats behind the teacher"
        return "\n".join([*rows, "", head, *table, note])


def teacher_student(
    kernels: Sequence[Kernel],
    X: Any,
    *,
    noise_variance: float = 0.1,
    n_draws: int = 200,
    random_state: RandomState = None,
) -> TeacherStudent:
    r"""Draw data at the rows of X from each kernel, and tell how well every other kernel is told apart from it.

    Parameters are as given; nothing is optimized. With covariances $A = K_t + \sigma^2 I$ of the teacher and $B$ of the
    student, the expected log evidence is $-\tfrac12(\operatorname{tr} B^{-1}A + \log|B| + n \log 2\pi)$. O(k² n³) for k
    kernels, and the draws O(k² n²) each. A design X on which two stories cannot be told apart shows before the first
    measurement.

    >>> from credo.kernels import Linear, RBF
    >>> result = teacher_student([RBF(), Linear()], np.linspace(-2, 2, 20)[:, None], random_state=0)
    >>> bool(np.all(np.diag(result.chosen) > 0.5))
    True
    """
    who = "teacher_student"
    X = np.asarray(X, dtype=np.float64)
    if not kernels or not noise_variance > 0 or n_draws < 2:
        raise InputError(
            who,
            f"{len(kernels)} kernels, noise_variance={noise_variance}, n_draws={n_draws}",
            "It compares kernels on drawn data with noise",
            "Pass two kernels or more, a positive noise variance and at least 2 draws",
        )
    factors = [
        cholesky(kernel(X) + jnp.diag(noise_variance + kernel.input_noise(jnp.asarray(X))), who=who)
        for kernel in kernels
    ]
    white = jax.random.normal(as_key(random_state), (len(X), n_draws), dtype=jnp.float64)
    expected = np.array([[_expected(student, teacher) for student in factors] for teacher in factors])
    # The same white noise serves every teacher, so that rows differ by their kernel and not by luck.
    evidence = np.array([[_evidences(student, teacher, white) for student in factors] for teacher in factors])
    winners = np.argmax(evidence, axis=1)
    chosen = np.stack([np.mean(winners == s, axis=1) for s in range(len(kernels))], axis=1)
    return TeacherStudent(
        kernels=tuple(str(kernel) for kernel in kernels),
        log_evidence=expected,
        lost=np.maximum(np.diag(expected)[:, None] - expected, 0.0),
        chosen=chosen,
        standard_error=np.sqrt(chosen * (1.0 - chosen) / n_draws),
        draws=n_draws,
    )


def _expected(student: Factor, teacher: Factor) -> float:
    trace = jnp.sum(student.half_solve(teacher.lower) ** 2)
    return float(-0.5 * (trace + student.log_det + student.n * LOG_2PI))


def _evidences(student: Factor, teacher: Factor, white: jax.Array) -> np.ndarray:
    fit = student.quadratic(teacher.lower @ white)
    return np.asarray(-0.5 * (fit + student.log_det + student.n * LOG_2PI))
