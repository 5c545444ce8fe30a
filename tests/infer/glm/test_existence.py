"""The proof by a Newton decrement: its bound by hand, no proof where there is no maximum, one where fits converge."""

import numpy as np
import pytest
from scipy import special

from credo.infer.glm import FAMILIES, LINKS, GLMProblem, LinearDesign, fit_glm, newton
from credo.infer.glm import fit as module
from credo.infer.glm.existence import largest_variance_allowed, maximum_is_proven

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 3))
ETA = X @ [4.0, -2.0, 1.0]


def posed(family, y, X=X, weights=None):
    design = LinearDesign(X, True, np.zeros(len(y)))
    return GLMProblem(
        design, y, np.ones(len(y)) if weights is None else weights, FAMILIES[family], FAMILIES[family].link
    )


@pytest.mark.parametrize("family", ["bernoulli", "poisson"])
def test_the_objective_stays_above_the_bound(family):
    """f(β + v) ≥ f(β) − λS/R + (e^{−S} + S − 1)/R² with S = R‖v‖ in the norm of the information."""
    y = (
        (rng.random(400) < special.expit(ETA)).astype(float)
        if family == "bernoulli"
        else rng.poisson(np.exp(ETA / 4)) * 1.0
    )
    ones = np.column_stack([np.ones(400), X])

    def derivatives(beta):
        eta = ones @ beta
        if family == "bernoulli":
            mean, value = special.expit(eta), np.sum(np.logaddexp(0.0, eta) - y * eta)
            return value, ones.T @ (mean - y), ones.T @ ((mean * (1 - mean))[:, None] * ones)
        mean = np.exp(eta)
        return np.sum(mean - y * eta), ones.T @ (mean - y), ones.T @ (mean[:, None] * ones)

    for _ in range(20):
        beta = rng.normal(size=4)
        value, gradient, information = derivatives(beta)
        inverse = np.linalg.inv(information)
        decrement = np.sqrt(gradient @ inverse @ gradient)
        radius = np.sqrt(np.max(np.einsum("ni,ij,nj->n", ones, inverse, ones)))
        for size in (0.01, 1.0, 10.0):
            v = size * rng.normal(size=4)
            S = radius * np.sqrt(v @ information @ v)
            bound = value - decrement * S / radius + (np.exp(-S) + S - 1.0) / radius**2
            assert derivatives(beta + v)[0] >= bound - 1e-9 * abs(value)


def test_the_variance_allowed_is_the_root_of_its_condition():
    for decrement, noise in ((1e-12, 1e-11), (0.0, 1e-10), (1e-4, 1e-16)):
        radius = np.sqrt(largest_variance_allowed(decrement, noise))
        np.testing.assert_allclose((np.sqrt(decrement) + noise * radius) * radius, 0.5)


@pytest.mark.parametrize("seed", range(40))
def test_no_proof_where_classes_are_separated(seed):
    """Wherever the search stands, and however far it got."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(60, 2 + seed % 4))
    side = A @ rng.normal(size=A.shape[1]) + 0.3
    y = (side > 0).astype(float)
    if seed % 2:  # in part: a tie on the border, with both classes
        border = np.r_[np.sign(side) * np.abs(rng.normal(size=60)), 0.0, 0.0]
        A, y = np.column_stack([np.vstack([A, np.zeros_like(A[:2])]), border]), np.r_[y, 0.0, 1.0]
    problem, _ = posed("bernoulli", y, A, weights=rng.integers(1, 5, len(y)).astype(float)).standardized("test")
    for close in (1e2, 1.0, 1e-3, 1e-8, 1e-15, 1e-25):
        with np.errstate(all="ignore"):
            assert not maximum_is_proven(problem, newton(problem, close=close))


@pytest.mark.parametrize("family", ["bernoulli", "binomial", "poisson"])
def test_a_converged_fit_far_out_needs_no_linear_program(family, monkeypatch):
    monkeypatch.setattr(module, "separation", None)  # a call would raise
    far = 3.0 * ETA
    y = {
        "bernoulli": lambda: (rng.random(400) < special.expit(far)).astype(float),
        "binomial": lambda: rng.binomial(4, special.expit(far)) / 4.0,
        "poisson": lambda: rng.poisson(np.exp(far / 4.0 - 3.0)).astype(float),
    }[family]()
    found = fit_glm(posed(family, y))
    assert found.certificate.converged
    assert found.value.separated == "none"
    assert np.max(np.abs(found.value.predictor)) > 12.0


def test_a_family_without_the_bound_proves_nothing():
    y = (rng.random(400) < special.expit(ETA)).astype(float)
    problem = posed("bernoulli", y)._replace(link=LINKS["probit"])
    assert not maximum_is_proven(problem, newton(problem))
