"""Losses about numbers: closed forms against integration and against a search for the best number."""

import numpy as np
import pytest
from scipy import optimize, stats

from credo.beliefs import Categorical, Empirical, Gamma, Mixture, MultivariateNormal, Normal, StudentT
from credo.decide.actions import Absolute, LinearLoss, Pinball, Squared
from credo.errors import InputError, UndefinedError

LOSSES = [Squared(), Absolute(), Pinball(0.2), Pinball(0.9)]
MIXTURE = Mixture([0.4, 0.6], Normal([-2.0, 1.0], [1.0, 0.5]))


GRID = np.linspace(-15.0, 15.0, 20_001)


def expected(loss, a, pdf):
    return np.trapezoid(loss.of(a, GRID) * pdf, GRID)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_closed_forms_against_integration(loss):
    pdfs = {
        "normal": (Normal(0.5, 1.3), stats.norm(0.5, 1.3).pdf(GRID)),
        "mixture": (MIXTURE, 0.4 * stats.norm(-2, 1).pdf(GRID) + 0.6 * stats.norm(1, 0.5).pdf(GRID)),
    }
    for belief, pdf in pdfs.values():
        actions = [-3.0, 0.0, 2.0]
        by_hand = [expected(loss, a, pdf) for a in actions]
        np.testing.assert_allclose(loss.risks(belief, actions), by_hand, rtol=1e-6)
        search = optimize.minimize_scalar(lambda a, pdf=pdf: expected(loss, a, pdf), bounds=(-5, 5), method="bounded")
        assert float(loss.best(belief)) == pytest.approx(search.x, abs=2e-3)
        assert float(loss.risk_of_best(belief)) == pytest.approx(search.fun, rel=1e-5)


def test_textbook_values_of_the_best():
    normal = Normal([0.0, 3.0], [1.0, 2.0])
    np.testing.assert_allclose(Absolute().risk_of_best(normal), np.array([1.0, 2.0]) * np.sqrt(2 / np.pi))
    np.testing.assert_allclose(
        Pinball(0.9).risk_of_best(normal), np.array([1.0, 2.0]) * stats.norm.pdf(stats.norm.ppf(0.9)), rtol=1e-12
    )


def test_linear_losses_see_the_mean():
    loss = LinearLoss([0.0, 3.0], [1.0, -2.0])
    np.testing.assert_allclose(loss.risks(Gamma([2.0, 3.0], 4.0), (0, 1)), [[0.5, 2.0], [0.75, 1.5]])
    np.testing.assert_allclose(loss.of("any", np.array([1.0, 2.0]), 1), [1.0, -1.0])
    assert loss.listed(Normal(0.0, 1.0), ["wait", "act"]) == ("wait", "act")


def test_samples_are_summed():
    belief = Empirical([1.0, 2.0, 9.0], [1.0, 1.0, 2.0])
    np.testing.assert_allclose(
        Absolute().risks(belief, [2.0, 5.0]), [0.25 * 1 + 0.5 * 7, 0.25 * 4 + 0.25 * 3 + 0.5 * 4]
    )
    assert float(Pinball(0.5).best(belief)) == 2.0


@pytest.mark.parametrize("tau", [0.0, 1.0, np.nan, "0.5"])
def test_bad_levels(tau):
    with pytest.raises(InputError, match="tau"):
        Pinball(tau)


def test_levels_may_be_numpys():
    assert Pinball(np.float32(0.5)) == Pinball(0.5)
    assert type(Pinball(np.float32(0.9)).tau) is float


@pytest.mark.parametrize("make", [lambda: LinearLoss([1.0], [1.0, 2.0]), lambda: LinearLoss([np.nan], [1.0])])
def test_bad_lines(make):
    with pytest.raises(InputError, match="LinearLoss"):
        make()


def test_what_has_no_answer():
    with pytest.raises(UndefinedError, match="variance"):
        Squared().risks(StudentT(1.5, 0.0, 1.0), [0.0])
    for belief in (MultivariateNormal([0.0, 0.0], np.eye(2)), Categorical([0.5, 0.5])):
        with pytest.raises(UndefinedError, match="about a number"):
            Squared().listed(belief, None)
    with pytest.raises(UndefinedError, match="no number"):
        LinearLoss([0.0, 1.0], [1.0, 0.0]).risks(Categorical([0.5, 0.5]), (0, 1))
    with pytest.raises(InputError, match="finite numbers"):
        Squared().listed(Normal(0.0, 1.0), [0.0, np.nan])
