"""Numbers that stay finite: duplicates, no noise, targets among candidates; memory that is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from credo.decide.explore import Explorer
from credo.decide.explore.conditioning import LEAST_NOISE
from credo.errors import TooLargeError
from credo.kernels import Matern52
from credo.models import GPRegressor

NOISE = 0.05
RNG = np.random.default_rng(0)
X, Y = RNG.random((6, 2)), RNG.normal(size=6)
S, A = RNG.random((9, 2)), RNG.random((5, 2)) + 0.5
KERNEL = Matern52(lengthscale=[0.4, 0.7], variance=1.3)


def fitted(rows=X, values=Y, noise=NOISE):
    return GPRegressor(kernel=KERNEL, noise_variance=noise, inference=None, standardize=False).fit(rows, values)


def test_no_noise_has_a_floor():
    candidates = RNG.random((5, 2)) + 5.0
    picked = Explorer(fitted(noise=0.0), candidates=candidates, repeats=False).ask(1)
    np.testing.assert_allclose(picked.gains[0], 0.5 * np.log(1.0 + 1.0 / LEAST_NOISE), rtol=1e-6)


def test_what_would_not_fit_is_refused_before_it_is_made():
    many = np.zeros((20_000, 2))
    with pytest.raises(TooLargeError, match=r"GiB.*sample"):
        Explorer(fitted(), targets=many, candidates=many).ask()
    with pytest.raises(TooLargeError, match="GiB"):
        Explorer(fitted(), candidates=many, criterion="vtl").ask()
    assert Explorer(fitted(), candidates=RNG.random((20_000, 2))).ask(3).gains[0] > 0.0


@given(st.integers(0, 10_000), st.sampled_from(["itl", "vtl"]), st.floats(0.0, 1.0))
def test_gains_are_finite_and_nowhere_negative_whatever_repeats(seed, criterion, noise):
    rng = np.random.default_rng(seed)
    points = np.round(rng.random((8, 2)), 1)
    candidates = np.concatenate([points, points[:3], X[:2]])  # duplicates, targets, measured points
    picked = Explorer(fitted(noise=noise), targets=candidates[:9], candidates=candidates, criterion=criterion).ask(6)
    assert np.all(np.isfinite(picked.gains))
    assert np.all(picked.gains >= 0.0)
    assert np.all(np.diff([picked.before, *picked.left]) <= 1e-9)
    assert np.all(picked.left >= 0.0)
