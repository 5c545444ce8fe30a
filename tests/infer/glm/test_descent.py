"""Descent on quadratics and on a function that bends, against known minima."""

from typing import NamedTuple

import numpy as np
import pytest

from credo.infer.glm.descent import descend

rng = np.random.default_rng(0)
ROOT = rng.normal(size=(20, 5))
H, CENTER = ROOT.T @ ROOT, rng.normal(size=5)


class At(NamedTuple):
    beta: np.ndarray
    value: float
    gradient: np.ndarray


def quadratic(beta):
    off = beta - CENTER
    return At(beta, 0.5 * off @ H @ off, H @ off)


def bent(beta):
    """Σ log cosh of the rows: convex, its minimum at the center."""
    off = ROOT @ (beta - CENTER)
    return At(beta, np.sum(np.logaddexp(off, -off)), ROOT.T @ np.tanh(off))


def curvature(point):
    return ROOT.T @ (ROOT / np.cosh(ROOT @ (point.beta - CENTER))[:, None] ** 2)


def descended(evaluate, information, inverse, keep, quick=0.5):
    settings = {"close": lambda _: 1e-16, "weight": 20.0, "quick": quick, "keep": keep}
    return descend(evaluate, information, evaluate(np.zeros(5)), inverse, **settings)


def test_a_quadratic_takes_one_exact_step_and_a_look():
    end = descended(quadratic, lambda _: H, None, keep=False)
    assert (end.converged, end.iterations, end.exact.rank) == (True, 2, 5)
    np.testing.assert_allclose(end.point.beta - end.step, CENTER, rtol=1e-12)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("near", [None, 1.3, 1e3])
def test_any_inverse_ends_at_the_minimum_with_the_information_there(keep, near):
    """One that is far too long fails, and the information is taken."""
    inverse = None if near is None else near * np.linalg.inv(H)
    end = descended(bent, curvature, inverse, keep)
    assert end.converged
    np.testing.assert_allclose(end.point.beta - end.step, CENTER, rtol=1e-9)
    np.testing.assert_allclose(end.exact.information, H, rtol=1e-6)


def test_a_kept_inverse_needs_the_information_once():
    calls = []
    spoiled = np.linalg.inv(H + np.diag(rng.uniform(0.0, 3.0, 5)))
    descended(quadratic, lambda p: calls.append(p) or H, spoiled, keep=True, quick=0.9)
    assert len(calls) == 1


def test_what_cannot_be_lowered_is_not_converged():
    flat = lambda beta: At(beta, 1.0, H @ (beta - CENTER))  # noqa: E731
    end = descended(flat, lambda _: H, None, keep=False)
    assert not end.converged
    np.testing.assert_array_equal(end.step, 0.0)
