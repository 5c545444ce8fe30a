"""What an average over parameters answers, against its members one by one, and against fits of all rows."""

import numpy as np
import pytest

from credo.beliefs import Mixture
from credo.kernels import RBF, Linear
from credo.models import GPRegressor

NEW = np.array([[-2.5, 0.0], [0.1, 0.3], [1.0, -1.2], [3.0, 3.0]])


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, 5.0 + 2.0 * (np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n))


@pytest.fixture(scope="module")
def gp():
    return GPRegressor(kernel=RBF() + Linear(), random_state=0).fit(*table(15))


def of_members(gp, ask):
    """What is asked of each member in standard units, and its weight."""
    average, points = gp.average_, gp.scaling_.inputs(NEW)
    kept = np.flatnonzero(np.asarray(average.weights) > 0.0)
    return np.array([np.asarray(ask(average.member(int(i)), points)) for i in kept]), np.asarray(average.weights)[kept]


def test_few_rows_are_averaged_and_many_are_not():
    """At most 20 rows for each of three parameters here."""
    kernel = RBF()
    few, many = (GPRegressor(kernel=kernel, random_state=0, n_restarts=0).fit(*table(n)) for n in (60, 61))
    assert few.average_ is not None
    assert many.average_ is None
    assert any("not in the interval" in note for note in many.certificate_.notes)


def test_joint_has_the_moments_of_the_mixture(gp):
    means, weights = of_members(gp, lambda member, Z: member.joint(Z).loc)
    covariances, _ = of_members(gp, lambda member, Z: member.joint(Z).covariance)
    mean = weights @ means
    total = np.tensordot(weights, covariances, axes=1)
    total += sum(w * np.outer(m - mean, m - mean) for w, m in zip(weights, means, strict=True))
    joint, scale = gp.joint(NEW), float(gp.scaling_.target_scale)
    np.testing.assert_allclose(joint.loc, float(gp.scaling_.target_shift) + scale * mean, rtol=1e-8)
    np.testing.assert_allclose(joint.covariance, scale**2 * total, rtol=1e-6, atol=1e-9 * scale**2)
    np.testing.assert_allclose(np.diag(joint.covariance), gp.posterior(NEW).variance, rtol=1e-6)


def test_terms_add_up_to_the_function(gp):
    terms = gp.decompose(NEW)
    assert all(isinstance(term, Mixture) for term in terms)
    total = sum(np.asarray(term.mean) for term in terms) + float(gp.scaling_.target_shift)
    np.testing.assert_allclose(total, gp.posterior(NEW).mean, rtol=1e-9)
    first, weights = of_members(gp, lambda member, Z: member.of_term(member.process.kernel.terms[0]).predict(Z).loc)
    np.testing.assert_allclose(terms[0].mean, float(gp.scaling_.target_scale) * (weights @ first), rtol=1e-8)
    np.testing.assert_allclose(terms[0].budget.total, terms[0].variance, rtol=1e-10)


@pytest.mark.parametrize("n", [1, 5, 33])
def test_paths_are_as_many_as_asked_for(gp, n):
    paths = gp.sample_paths(n, random_state=0)
    assert paths(NEW).shape == (n, 4)
    np.testing.assert_array_equal(paths(NEW), gp.sample_paths(n, random_state=0)(NEW))


@pytest.mark.slow
def test_paths_have_the_moments_of_the_mixture(gp):
    """Functions of 16 draws of the parameters, over 40 seeds: mean and deviation within 4 errors and 5 %."""
    drawn = np.concatenate([np.asarray(gp.sample_paths(64, random_state=seed)(NEW)) for seed in range(40)])
    belief = gp.posterior(NEW)
    error = np.asarray(belief.std) / np.sqrt(len(drawn))
    assert np.max(np.abs(drawn.mean(axis=0) - belief.mean) / error) < 4.0
    np.testing.assert_allclose(drawn.std(axis=0), belief.std, rtol=0.08)


def test_further_rows_reweigh_the_draws(gp):
    """Against the definition: the old share times the density of the new rows at the draw."""
    X, y = table(15)
    further, values = table(3, seed=7)
    grown = GPRegressor(kernel=RBF() + Linear(), random_state=0).fit(X, y).partial_fit(further, values)
    Z, t = gp.scaling_.inputs(further), gp.scaling_.targets(values)

    def log_density(member, _):
        joint = member.joint(Z)
        covariance = np.asarray(joint.covariance) + np.diag(np.asarray(member.noise(Z)))
        away = t - np.asarray(joint.loc)
        return -0.5 * (away @ np.linalg.solve(covariance, away) + np.linalg.slogdet(covariance)[1])

    logs, weights = of_members(gp, log_density)
    expected = weights * np.exp(logs - logs.max())
    shares = np.asarray(grown.average_.weights)
    np.testing.assert_allclose(shares[shares > 0.0], (expected / expected.sum())[expected > 0.0], rtol=1e-4)
    assert grown.average_.effective < gp.average_.effective
    assert grown.certificate_.error > gp.certificate_.error
    anew = GPRegressor(kernel=RBF() + Linear(), random_state=0).fit(np.vstack([X, further]), np.append(y, values))
    assert np.all(np.abs(grown.predict(NEW) - anew.predict(NEW)) < 0.5 * np.asarray(anew.posterior(NEW).std))


def test_an_average_that_fails_is_no_average_and_says_so(monkeypatch):
    from credo.infer.gaussian import learning

    monkeypatch.setattr(learning, "_FEWEST_EFFECTIVE", 1e6)
    gp = GPRegressor(kernel=RBF(), random_state=0, n_restarts=0).fit(*table(15))
    assert gp.average_ is None
    assert any("an average was tried" in note for note in gp.certificate_.notes)
