"""Certificates: what is claimed, what is warned about, what is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import ConvergenceWarning, InputError, NumericalError
from credo.numerics import CONVERGED, FAILED, STOPPED, Certificate, Info, Solution, certify, worst_of
from credo.numerics.certificate import warned


@pytest.mark.parametrize("kind", ["bounded", "estimated"])
def test_a_bound_or_an_estimate_needs_its_size(kind):
    with pytest.raises(InputError, match="error"):
        Certificate(kind)
    assert Certificate(kind, error=0.1).error == 0.1


def test_text_names_everything_that_is_known():
    certificate = Certificate(
        "estimated", error=0.0123, iterations=7, residual=1e-9, jitter=1e-8, condition=3e5, notes=("from 100 draws",)
    )
    for part in ("estimated (error 0.0123)", "converged", "7 iterations", "1e-09", "jitter 1e-08", "3.0e+05", "draws"):
        assert part in str(certificate)
    assert str(Certificate("exact")) == "exact, converged"


def test_noting_adds_and_keeps():
    before = Certificate("heuristic", notes=("a",))
    assert before.noting("b", "c").notes == ("a", "b", "c")
    assert before.notes == ("a",)


def test_certify_reports_the_worst_of_a_batch():
    info = Info(
        status=jnp.array([CONVERGED, CONVERGED]),
        iterations=jnp.array([3, 8]),
        residual=jnp.array([1e-9, 1e-12]),
        jitter=jnp.array([0.0, 1e-6]),
        condition=jnp.array([10.0, 1e4]),
    )
    certificate = certify(info, "exact", "Test")
    assert certificate.converged
    assert (certificate.iterations, certificate.residual) == (8, 1e-9)
    assert (certificate.jitter, certificate.condition) == (1e-6, 1e4)


def test_certify_warns_when_stopped_and_the_certificate_says_so():
    with pytest.warns(ConvergenceWarning, match=r"Solver: stopped after 5 iterations with residual 0\.25"):
        certificate = certify(Info(STOPPED, 5, 0.25), "heuristic", "Solver")
    assert not certificate.converged
    assert certificate.status == "stopped early"
    assert certificate.residual == 0.25


def test_certify_raises_when_any_failed():
    with pytest.raises(NumericalError, match="Solver: the computation failed after 2 iterations"):
        certify(Info(np.array([CONVERGED, FAILED]), 2), "exact", "Solver")


def test_certify_of_the_default_info_is_exact_with_nothing_to_report():
    assert certify(Info(), "exact", "Test") == Certificate("exact")


def test_info_passes_through_jit_and_solution_holds_what_it_is_given():
    info = jax.jit(lambda x: Info(residual=jnp.sum(x)))(jnp.ones(3))
    assert float(info.worst().residual) == 3.0
    solution = Solution(1.0, Certificate("exact"))
    assert solution.value == 1.0
    assert dict(solution.info) == {}


def test_worst_of_parts():
    good = Certificate("exact", iterations=3, residual=1e-6, condition=10.0, notes=("a", "b"))
    bad = Certificate("estimated", "stopped early", 0.1, 4, None, 1e-8, 100.0, ("b", "c"))
    expected = Certificate("estimated", "stopped early", 0.1, 7, 1e-6, 1e-8, 100.0, ("a", "b", "c"))
    assert worst_of([good, bad]) == expected
    assert worst_of([good]) == good


def test_notes_of_named_parts_say_which():
    parts = [
        Certificate("exact", notes=("all say this", "only one")),
        Certificate("exact", status="stopped early", notes=("all say this",)),
    ]
    combined = worst_of(parts, ["a", "b"])
    assert combined.status == "stopped early"
    assert combined.notes == ("all say this", "only one (a)", "stopped early (b)")
    assert worst_of(parts).notes == ("all say this", "only one")


def test_warned_tells_of_what_stopped_early_only(recwarn):
    good = Certificate("exact")
    assert warned(good, "SVR", "Try more") is good
    assert not recwarn
    with pytest.warns(ConvergenceWarning, match=r"SVR: heuristic, stopped early.*Try more"):
        warned(Certificate("heuristic", "stopped early"), "SVR", "Try more")
