"""Members at other length-scales against fits there, and their weights against evidence and prior."""

import numpy as np
from scipy import stats

from credo.decide.safe.outcomes import learn_outcome
from credo.decide.study.goal import Bound
from credo.kernels import Matern52
from credo.models import GPRegressor
from credo.represent.space import Real, Space

SPACE = Space({"a": Real(0, 2), "b": Real(0, 1)})
RNG = np.random.default_rng(0)
ROWS = RNG.random((9, 2))
VALUES = 50.0 + 10.0 * np.sin(3.0 * ROWS[:, 0]) + 5.0 * ROWS[:, 1]


def test_members_are_fits_at_other_lengthscales():
    found = learn_outcome(SPACE, "heat", ROWS, VALUES, (Bound.parse("heat <= 100"),), promise=0.9, seed=0)
    weights = found.members.weights
    np.testing.assert_allclose(np.sum(weights), 1.0)
    logs, noise = np.array(found.parameters[:-1]), found.parameters[-1]
    width = np.sqrt(1.0 / 12.0)
    factors = [*np.outer(3.0 ** np.linspace(-1, 1, 5), np.ones(2)), [0.5, 1.0], [1.0, 0.5], [2.0, 1.0], [1.0, 2.0]]
    rows = RNG.random((4, 2))
    means, scores = [], []
    for factor in factors:
        kernel = Matern52(lengthscale=np.exp(logs) * factor)
        model = GPRegressor(kernel=kernel, noise_variance=noise, inference=None, standardize=False)
        model.fit((ROWS - 0.5) / width, (VALUES - found.center) / found.scale)
        prior = stats.norm.logpdf(logs + np.log(factor), np.log(np.sqrt(12.0) / 4.0), 0.7)
        scores.append(model.log_evidence_ + np.sum(prior))
        means.append(found.center + found.scale * model.predict((rows - 0.5) / width))
    np.testing.assert_allclose(found.at(rows).means, np.array(means).T, rtol=1e-7)
    np.testing.assert_allclose(found.at(rows).mean, weights @ np.array(means), rtol=1e-7)
    believed = np.exp(np.array(scores) - np.max(scores))
    np.testing.assert_allclose(weights, believed / np.sum(believed), rtol=1e-5)
    np.testing.assert_array_equal(found.members.plausible, believed >= np.exp(-2.0))
