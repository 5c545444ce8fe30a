"""Values bent by a logarithm: slopes against differences, the evidence against its textbook form, scales that do not
matter."""

import numpy as np
import pytest
from scipy import stats

from credo.infer.gaussian.quick_mode import Evidence, mode_of
from credo.infer.gaussian.quick_prior import LogPrior
from credo.infer.gaussian.quick_warp import LogWarp, WarpedEvidence

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(25, 2))
BOWL = np.sum((X - 0.4) ** 2, axis=1)
PRIOR = LogPrior.normal(np.zeros(4), np.array([1.0, 1.0, 1.5, 4.0]))


def evidence(values):
    return Evidence(X, values, np.zeros(2, dtype=bool), prior=PRIOR, least=1e-8)


@pytest.mark.parametrize("strength", [-12.0, -2.0, 0.0, 4.0])
def test_derivatives_are_those_of_differences(strength):
    warp, step = LogWarp.of(np.exp(6.0 * BOWL)), 1e-5
    here, up, down = (warp.at(strength + way * step) for way in (0.0, 1.0, -1.0))
    np.testing.assert_allclose(here.by_strength, (up.values - down.values) / (2 * step), rtol=1e-4, atol=1e-7)
    slope = (up.log_slopes - down.log_slopes) / (2 * step)
    assert here.log_slopes_by_strength == pytest.approx(slope, rel=1e-4, abs=1e-5)


def test_a_weak_warp_standardizes_and_every_warp_keeps_the_order():
    values = np.exp(6.0 * BOWL)
    weak = LogWarp.of(values).at(-14.0).values
    np.testing.assert_allclose(weak, (values - values.mean()) / values.std(), atol=1e-4)
    strong = LogWarp.of(values).at(5.0).values
    np.testing.assert_array_equal(np.argsort(strong), np.argsort(values))


def test_the_evidence_is_the_density_of_the_values_before_the_warp():
    """By the change of variables from SciPy's normal, up to a constant that no parameter changes."""
    values, logs = np.exp(6.0 * BOWL), np.array([-0.5, -0.2, 0.3, -4.0])
    warp, losses, wanted = LogWarp.of(values), [], []
    for strength in (-1.0, 2.0):
        found = WarpedEvidence(evidence(values), warp, (0.0, 1e6))
        losses.append(found(np.append(logs, strength))[0] - PRIOR.loss(logs)[0])
        bent = np.log1p(np.exp(strength) * warp.shares)
        slopes = np.exp(strength) / (1.0 + np.exp(strength) * warp.shares) / bent.std()
        r = np.sqrt(np.sum(((X[:, None] - X) / np.exp(logs[:2])) ** 2, axis=2))
        k = np.exp(logs[2]) * (1 + 5**0.5 * r + 5 / 3 * r**2) * np.exp(-(5**0.5) * r)
        k += (np.exp(logs[3]) + 1e-8) * np.eye(25)
        density = stats.multivariate_normal(np.zeros(25), k).logpdf((bent - bent.mean()) / bent.std())
        wanted.append(-density - np.sum(np.log(slopes)))
    assert losses[1] - losses[0] == pytest.approx(wanted[1] - wanted[0], rel=1e-6)


def test_the_gradient_is_that_of_differences():
    searched = WarpedEvidence(evidence(BOWL), LogWarp.of(np.exp(6.0 * BOWL)), (-2.0, 2.0))
    logs = np.array([-0.5, -0.2, 0.3, -4.0, 0.7])
    slopes = [(searched(logs + step)[0] - searched(logs - step)[0]) / 2e-5 for step in 1e-5 * np.eye(5)]
    np.testing.assert_allclose(searched(logs)[1], slopes, rtol=1e-4, atol=1e-5)


def test_what_grows_by_orders_of_magnitude_is_bent_and_a_bowl_is_not():
    start = np.array([0.0, 0.0, 0.0, -6.0, -2.0])
    far = mode_of(WarpedEvidence(evidence(BOWL), LogWarp.of(np.exp(20.0 * BOWL)), (-2.0, 2.0)), [start])
    near = mode_of(WarpedEvidence(evidence(BOWL), LogWarp.of(BOWL), (-2.0, 2.0)), [start])
    assert far.logs[-1] > 1.0
    assert near.logs[-1] < -1.0


def test_the_unit_of_values_does_not_matter_and_equal_ones_have_no_warp():
    plain = LogWarp.of(BOWL).shares
    np.testing.assert_allclose(LogWarp.of(1e200 * BOWL).shares, plain, rtol=1e-9)
    np.testing.assert_allclose(LogWarp.of(BOWL - 50.0).shares, plain, rtol=1e-9, atol=1e-9)
    assert LogWarp.of(np.ones(5)) is None
    assert LogWarp.of(np.array([0.0, 0.0, 0.0, 1.0])) is None
