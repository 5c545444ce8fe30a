"""Input that invites trouble: a clear error, or a right answer whose certificate says what was done. Never NaN."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import CredoError, InputError, NumericalError
from credo.kernels import RBF, Diffusion, Linear, Matern52, Warp
from credo.models import GPRegressor

X = np.random.default_rng(0).uniform(-2.0, 2.0, size=(20, 1))
Y = np.sin(2.0 * X[:, 0])
NEW = np.array([[-5.0], [0.0], [0.3], [40.0]])


def answers(gp):
    """Everything that a user would look at, all of it finite and every deviation positive."""
    belief, latent, loo = gp.predict_dist(NEW), gp.posterior(NEW), gp.loo_
    low, high = gp.predict_interval(NEW)
    numbers = [
        belief.mean,
        latent.mean,
        loo.mean,
        low,
        high,
        gp.evidence_path(),
        [gp.log_evidence_, gp.noise_variance_],
    ]
    assert all(np.all(np.isfinite(part)) for part in numbers)
    assert all(np.all(np.asarray(part) > 0) for part in (belief.std, latent.std, loo.std))
    # Deviations below the spacing of numbers around the mean leave nothing between the ends.
    wide = np.asarray(belief.std) > np.spacing(np.abs(np.asarray(belief.mean)))
    assert np.all(np.where(wide, low < high, low <= high))
    np.testing.assert_allclose(belief.budget.total, belief.variance, rtol=1e-9)
    return belief


def test_equal_rows_without_noise_are_one_row():
    again = np.concatenate([X, X[:5]])
    once = GPRegressor(kernel=RBF(), noise_variance=0, inference=None, standardize=False).fit(X, Y)
    twice = GPRegressor(kernel=RBF(), noise_variance=0, inference=None, standardize=False)
    twice.fit(again, np.sin(2.0 * again[:, 0]))
    np.testing.assert_allclose(answers(twice).mean, answers(once).mean, rtol=1e-9)
    np.testing.assert_allclose(twice.log_evidence_, once.log_evidence_, rtol=1e-9)
    assert twice.certificate_.kind == "exact"


def test_contradictions_without_noise_are_refused_and_explained():
    with pytest.raises(InputError) as failure:
        GPRegressor(noise_variance=0).fit([[1.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    message = str(failure.value)
    assert message.startswith("GPRegressor: 1 points were measured more than once with different results")
    assert "Leave noise_variance out" in message


def test_points_that_all_but_coincide_get_jitter_and_say_so():
    near = np.concatenate([X, X[:5] + 1e-10])
    gp = GPRegressor(kernel=RBF(lengthscale=2.0), noise_variance=0, inference=None).fit(near, np.sin(2.0 * near[:, 0]))
    answers(gp)
    assert gp.certificate_.jitter > 0
    assert "jitter" in str(gp.certificate_)
    np.testing.assert_allclose(gp.predict(X), Y, atol=1e-3)


@pytest.mark.filterwarnings("ignore::credo.errors.ConvergenceWarning")
@pytest.mark.parametrize("noise", [None, 0.0, 0.3])
def test_constant_targets(noise):
    """The belief is centered on the constant, its width comes from the prior, and the certificate says so."""
    gp = GPRegressor(kernel=RBF(), noise_variance=noise, random_state=0).fit(X, np.full(20, 1e6))
    np.testing.assert_allclose(answers(gp).mean, 1e6, rtol=1e-9)
    assert "targets are all equal" in str(gp.certificate_)
    if noise != 0.3:
        with pytest.raises(NumericalError, match=r"GPRegressor: the evidence grows without bound.*inference=\"map\""):
            GPRegressor(kernel=RBF(), noise_variance=noise, inference="ml", random_state=0).fit(X, np.full(20, 1e6))


@pytest.mark.parametrize("inference", ["map", None])
def test_one_row(inference):
    gp = GPRegressor(kernel=RBF(), inference=inference, random_state=0).fit([[3.0]], [-7.0])
    np.testing.assert_allclose(answers(gp).mean, -7.0, rtol=1e-12)
    with pytest.raises(NumericalError, match="evidence grows without bound"):
        GPRegressor(kernel=RBF(), inference="ml").fit([[3.0]], [-7.0])


def test_columns_of_very_different_scale():
    """1e8 and 1e-8: the same answers as in units where both columns are of size one."""
    pair = np.random.default_rng(1).normal(size=(20, 2))
    y = np.sin(pair[:, 0]) + pair[:, 1] + 0.1 * pair[::-1, 0]
    plain = GPRegressor(kernel=RBF(1.0, np.ones(2)), random_state=0).fit(pair, y)
    wild = GPRegressor(kernel=RBF(1.0, np.ones(2)), random_state=0).fit(pair * [1e8, 1e-8], y)
    np.testing.assert_allclose(wild.predict(pair * [1e8, 1e-8]), plain.predict(pair), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(wild.log_evidence_, plain.log_evidence_, atol=1e-3)
    # As they are, the first column is all length and the second none. The interval is wide, and it is a number.
    as_they_are = GPRegressor(kernel=RBF(1.0, np.ones(2)), standardize=False, inference=None).fit(pair * [1e8, 1e-8], y)
    belief = as_they_are.predict_dist(pair[:4] * [1e8, 1e-8] + [1e7, 0.0])
    np.testing.assert_allclose(belief.variance, 1.1, rtol=1e-9)


def test_a_column_that_never_changes_changes_nothing():
    wider = np.column_stack([X, np.full(20, 1e9)])
    one, two = (GPRegressor(kernel=RBF(), inference=None).fit(Z, Y) for Z in (X, wider))
    np.testing.assert_allclose(two.predict(wider), one.predict(X), rtol=1e-10)


@pytest.mark.parametrize("where", ["X", "y", "new"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_values_are_named(where, value):
    bad_x, bad_y = X.copy(), Y.copy()
    (bad_x if where == "X" else bad_y)[3] = value
    gp = GPRegressor(kernel=RBF(), inference=None)
    with pytest.raises(InputError, match=r"GPRegressor: .*(NaN|infinity)"):
        gp.fit(bad_x, bad_y) if where != "new" else gp.fit(X, Y).predict([[value]])


def test_more_length_scales_than_columns():
    with pytest.raises(InputError) as failure:
        GPRegressor(kernel=Matern52(lengthscale=np.ones(8))).fit(X, Y)
    assert str(failure.value) == (
        "GPRegressor: X has 1 columns, but the kernel was given 8 length-scales. A length-scale per column was "
        "probably meant. Try kernel=Matern52(lengthscale=np.ones(1)), or leave it out."
    )


WRONG_NOISE = {
    "short": np.ones(19),
    "matrix": np.ones((20, 1)),
    "scalar": 0.1,
    "negative": np.where(np.arange(20) == 7, -1e-9, 1.0),
    "nan": np.where(np.arange(20) == 7, np.nan, 1.0),
    "infinite": np.full(20, np.inf),
    "text": ["a"] * 20,
}


@pytest.mark.parametrize("noise", WRONG_NOISE.values(), ids=WRONG_NOISE.keys())
def test_wrong_noise_is_named(noise):
    gp = GPRegressor(kernel=RBF(), inference=None)
    with pytest.raises(InputError, match="GPRegressor: "):
        gp.fit(X, Y, noise=noise)
    with pytest.raises(InputError, match="GPRegressor: "):
        gp.fit(X, Y).partial_fit(X, Y, noise=noise)


def test_known_noise_of_zero_beside_large_ones():
    """Exact rows are interpolated, a row with enormous noise says nothing."""
    known = np.where(np.arange(20) == 7, 1e12, 0.0)
    gp = GPRegressor(kernel=Matern52(), inference=None, standardize=False).fit(X, Y, noise=known)
    answers(gp)
    rest = np.arange(20) != 7
    without = GPRegressor(kernel=Matern52(), inference=None, standardize=False, noise_variance=0).fit(X[rest], Y[rest])
    np.testing.assert_allclose(gp.predict(NEW), without.predict(NEW), rtol=1e-6, atol=1e-9)


def test_rows_of_weight_zero_are_not_there():
    """Not even their values, their noise or their contradictions."""
    Z, y = np.concatenate([X, X[:2], [[1e9]]]), np.concatenate([Y, Y[:2] + 5.0, [1e9]])
    w, known = np.concatenate([np.ones(20), np.zeros(3)]), np.zeros(23)
    padded = GPRegressor(kernel=RBF(), noise_variance=0, inference=None).fit(Z, y, sample_weight=w, noise=known)
    plain = GPRegressor(kernel=RBF(), noise_variance=0, inference=None).fit(X, Y)
    np.testing.assert_array_equal(padded.predict(NEW), plain.predict(NEW))
    assert padded.log_evidence_ == plain.log_evidence_
    plain.partial_fit(Z[18:], y[18:], sample_weight=w[18:])
    np.testing.assert_allclose(plain.predict(NEW), padded.predict(NEW), rtol=1e-10)
    with pytest.raises(InputError, match=r"GPRegressor: .*zero"):
        plain.partial_fit(X, Y, sample_weight=np.zeros(20))


def test_a_kernel_without_variance_at_a_point_still_answers():
    """A linear kernel is zero at zero, where padding lies too."""
    gp = GPRegressor(kernel=Linear(), standardize=False, inference=None).fit(X, 2.0 * X[:, 0])
    belief = answers(gp)
    assert belief.mean[1] == 0.0
    np.testing.assert_allclose(belief.variance[1], 0.1, rtol=1e-12)


def test_a_kernel_for_which_zero_is_no_point():
    """Padded rows of fit, of predictions and of draws lie where the logarithm is finite."""
    positive = np.linspace(0.5, 3.0, 20)[:, None]
    gp = GPRegressor(kernel=Warp(Linear(), jnp.log), standardize=False, random_state=0)
    gp.fit(positive, 2.0 * np.log(positive[:, 0]))
    np.testing.assert_allclose(gp.predict([[1.5], [6.0]]), 2.0 * np.log([1.5, 6.0]), rtol=1e-2)
    assert np.all(np.isfinite(gp.posterior([[6.0]]).std))
    assert np.all(np.isfinite(gp.sample_paths(2, random_state=0)(np.array([[6.0]]))))


def test_rows_that_are_no_points_of_the_kernel():
    ring = 2.0 * np.eye(6) - np.roll(np.eye(6), 1, axis=0) - np.roll(np.eye(6), -1, axis=0)
    nodes, y = np.arange(5.0)[:, None], np.arange(5.0)
    kernel = Diffusion(ring)
    gp = GPRegressor(kernel=kernel, inference=None).fit(nodes, y)
    assert np.all(np.isfinite(gp.predict(np.arange(6.0)[:, None])))
    for ask in (gp.predict, gp.posterior, gp.joint, gp.sample, lambda Z: gp.partial_fit(Z, [0.0])):
        with pytest.raises(InputError, match="GPRegressor: 6 is no node of a graph of 6"):
            ask([[6.0]])


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_extreme_targets(scale):
    """Standardized they are like any others; what overflows is said."""
    gp, plain = (GPRegressor(kernel=RBF(), inference=None).fit(X, unit * Y) for unit in (scale, 1.0))
    np.testing.assert_allclose(answers(gp).mean, scale * plain.predict(NEW), rtol=1e-9)
    as_they_are = GPRegressor(kernel=RBF(), inference=None, standardize=False)
    with pytest.raises(CredoError):
        as_they_are.fit(X, np.full(20, 1e308) * Y).predict(NEW)
