"""The duality gap against the objective of a minimizer that knows nothing of duality, and its lower bound."""

import numpy as np
import pytest
from scipy import optimize

from credo.infer.glm import FAMILIES, LINKS, GLMProblem, LinearDesign
from credo.infer.glm.gap import duality_gap
from credo.infer.glm.loss import loss_of

rng = np.random.default_rng(0)
N = 40
X = rng.normal(size=(N, 3))
OFFSET, W = 0.2 * rng.normal(size=N), rng.integers(1, 4, N).astype(float)
COUNTS = rng.poisson(np.exp(X @ [0.5, -0.4, 0.0] + OFFSET)).astype(float)
TARGETS = {"gaussian": COUNTS, "bernoulli": (COUNTS > 1).astype(float), "binomial": (COUNTS % 5) / 4}
TARGETS |= {"poisson": COUNTS, "gamma": COUNTS + 0.3}


def objective(problem, lasso, split):
    """In the positive and negative parts of the slopes, where it is smooth."""
    beta = np.r_[split[0], split[1:4] - split[4:]]
    value = loss_of(problem.family, problem.link)(problem.y, problem.design.predictor(beta)).value
    return problem.weights @ value + lasso * np.sum(split[1:]) + 0.5 * problem.ridge * beta[1:] @ beta[1:]


@pytest.mark.parametrize("family", TARGETS)
@pytest.mark.parametrize("ridge", [0.0, 2.0])
def test_it_bounds_how_far_a_point_is_above_the_minimum_and_ends_at_zero(family, ridge):
    family, y = FAMILIES[family], TARGETS[family]
    problem = GLMProblem(LinearDesign(X, True, OFFSET), y, W, family, family.link, ridge)
    bounds = [(None, None)] + [(0.0, None)] * 6
    found = optimize.minimize(
        lambda s: objective(problem, 5.0, s), np.r_[0.1, np.full(6, 0.1)], bounds=bounds, tol=1e-10
    )
    best = np.r_[found.x[0], found.x[1:4] - found.x[4:]]
    for step in rng.normal(size=(20, 4)) * 0.2:
        beta = best + step
        split = np.r_[beta[0], np.maximum(beta[1:], 0.0), np.maximum(-beta[1:], 0.0)]
        gap = duality_gap(problem, 5.0, beta, problem.design.predictor(beta))
        assert gap >= objective(problem, 5.0, split) - found.fun - 1e-9
    assert duality_gap(problem, 5.0, best, problem.design.predictor(best)) < 1e-3


def test_none_is_known_for_other_pairs():
    problem = GLMProblem(LinearDesign(X, True, OFFSET), COUNTS + 1.0, W, FAMILIES["inverse gaussian"], LINKS["log"])
    assert duality_gap(problem, 1.0, np.zeros(4), OFFSET) is None
