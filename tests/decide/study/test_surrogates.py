"""Surrogates of the user's: any estimator says what it says itself, on columns that it can read."""

import numpy as np
import pytest

from credo.decide.acquisitions.maximize import moments_at
from credo.decide.study.goal import Goal
from credo.decide.study.setup import Setup
from credo.decide.study.surrogate import units_of
from credo.decide.study.surrogates import learn, taken_apart
from credo.kernels import Matern32
from credo.models import BayesianLinearRegression, GPRegressor, NearestNeighborsRegressor
from credo.represent.space import Choice, Integer, Real, Space

MIXED = Space({"a": Real(0, 1), "kind": Choice("x", "y", "z"), "n": Integer(1, 3)})
ROWS, NEW = MIXED.sample_rows(20, 0), MIXED.sample_rows(6, 1)
VALUES = 40.0 + 3.0 * ROWS[:, 0] + np.sin(9.0 * ROWS[:, 0]) + np.array([0.0, 2.0, -1.0])[ROWS[:, 1].astype(int)]


def learnt(surrogate):
    return learn(Setup(MIXED, Goal.of("minimize"), surrogate=surrogate), ROWS, VALUES)


def test_choices_are_taken_apart():
    np.testing.assert_array_equal(
        taken_apart(MIXED, np.array([[0.25, 2.0, 0.5], [0.5, 0.0, 1.0]])),
        [[0.25, 0.0, 0.0, 1.0, 0.5], [0.5, 1.0, 0.0, 0.0, 1.0]],
    )


def test_a_linear_model_says_what_it_says_itself():
    learned = learnt(BayesianLinearRegression())
    own = BayesianLinearRegression().fit(taken_apart(MIXED, ROWS), (VALUES - VALUES.mean()) / VALUES.std())
    mean, variance = moments_at(learned.surface, NEW)
    about = (
        own.posterior(taken_apart(MIXED, NEW))
        if hasattr(own, "posterior")
        else own.predict_dist(taken_apart(MIXED, NEW))
    )
    np.testing.assert_allclose(mean[:, 0], about.mean, rtol=1e-10)
    np.testing.assert_allclose(variance[:, 0], about.variance, rtol=1e-10)
    assert learned.center + learned.scale * mean[0, 0] == pytest.approx(VALUES.mean(), abs=4.0)


def test_a_process_of_the_users_keeps_its_kernel():
    learned = learnt(GPRegressor(kernel=Matern32(lengthscale=np.ones(3))))
    own = GPRegressor(kernel=Matern32(lengthscale=np.ones(3)), inference="map", standardize=False, random_state=0)
    shift, width = units_of(MIXED)
    own.fit((ROWS - shift) / width, (VALUES - VALUES.mean()) / VALUES.std())
    np.testing.assert_allclose(
        moments_at(learned.surface, NEW)[0][:, 0], own.posterior((NEW - shift) / width).mean, atol=1e-6
    )


def test_a_belief_without_a_variance_has_the_width_of_its_middle():
    """Three neighbors leave two degrees of freedom, and a Student's t without a variance."""
    _, variance = moments_at(learnt(NearestNeighborsRegressor(n_neighbors=3)).surface, NEW)
    assert np.all(np.isfinite(variance))
    assert np.all(variance > 0.0)
