"""Certificates of draws whose worth is known."""

import warnings

import numpy as np
import pytest

from credo.errors import ConvergenceWarning
from credo.infer import Draws
from credo.infer.mcmc.report import certified
from credo.numerics import STOPPED, Info, certify


def independent(chains=4, count=500, seed=0):
    return np.random.default_rng(seed).normal(size=(chains, count, 2)) * [1.0, 100.0]


def report(values, **arguments):
    return certified("test", Draws(values, np.zeros(values.shape[:2]), ("a", "b")), n_warmup=50, **arguments)


def test_good_draws_are_certified_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = report(independent(), divergences=3, notes=["a note"], info={"more": 1})
    certificate = solution.certificate
    assert certificate.converged
    assert (certificate.kind, certificate.iterations) == ("estimated", 550)
    # Of 2000 independent draws the mean is known to 1/√2000 standard deviations, whatever the units.
    np.testing.assert_allclose(certificate.error, 2000**-0.5, rtol=0.15)
    assert "3 divergences" in certificate.notes
    assert "a note" in certificate.notes
    assert solution.info["more"] == 1
    np.testing.assert_allclose(np.max(solution.info["mcse"] / [1.0, 100.0]), certificate.error, rtol=0.1)
    assert f"R-hat at most {solution.info['rhat'].max():.3f}" in certificate.notes


def test_a_sampler_without_divergences_does_not_speak_of_them():
    assert "divergences" not in str(report(independent()).certificate)


def test_chains_that_disagree_are_named():
    values = independent()
    values[3, :, 1] += 300.0
    with pytest.warns(
        ConvergenceWarning, match="^test: the chains disagree, with R-hat .* of coordinate b.* Try n_draws=1000"
    ):
        solution = report(values)
    assert solution.certificate.status == "stopped early"
    assert any("the chains disagree" in note for note in solution.certificate.notes)


def test_too_few_draws_are_named():
    with pytest.warns(ConvergenceWarning, match="40 draws are worth .* independent ones of coordinate [ab]"):
        assert not report(independent(count=10)).certificate.converged


def test_a_coordinate_that_never_moved_has_no_error_to_speak_of():
    values = independent()
    values[..., 0] = 1.0
    with pytest.warns(ConvergenceWarning, match="R-hat inf of coordinate a"):
        solution = report(values)
    assert solution.certificate.error == np.inf


def test_many_divergences_are_a_doubt_and_few_are_a_note():
    assert report(independent(), divergences=20).certificate.converged
    with pytest.warns(ConvergenceWarning, match=r"21 of 2000 draws were divergent.* Try slice_sample"):
        assert not report(independent(), divergences=21).certificate.converged


def test_status_is_in_the_words_of_all_certificates():
    with pytest.warns(ConvergenceWarning):
        word = certify(Info(status=STOPPED), "heuristic", "test").status
    with pytest.warns(ConvergenceWarning):
        assert report(independent(count=10)).certificate.status == word
