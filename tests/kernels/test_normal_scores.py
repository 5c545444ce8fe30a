"""Quantiles from normal scores against scipy's."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from credo.kernels.normal_scores import chi_square_from_score, student_from_score

Z = np.linspace(-8.0, 8.0, 161)


@pytest.mark.parametrize("df", [1.0, 3.0, 5.0])
def test_quantiles(df):
    lower, upper = stats.norm.cdf(np.minimum(Z, 0.0)), stats.norm.sf(np.maximum(Z, 0.0))
    for got, family in ((chi_square_from_score, stats.chi2(df)), (student_from_score, stats.t(df))):
        expected = np.where(Z < 0.0, family.ppf(lower), family.isf(upper))
        np.testing.assert_allclose(got(df, jnp.asarray(Z)), expected, rtol=2e-9, atol=1e-9)


def test_far_out_stays_finite():
    ends = jnp.array([-40.0, 40.0])
    assert np.all(np.isfinite(chi_square_from_score(1.0, ends)))
    assert np.all(np.isfinite(student_from_score(1.0, ends)))
