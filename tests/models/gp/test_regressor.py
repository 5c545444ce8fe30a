"""Gaussian-process regression as an estimator: further rows, searches, agreement with scikit-learn."""

import jax
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as PeerRBF
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel

from credo.errors import InputError, TooLargeError
from credo.kernels import RBF, Linear, Matern52, White
from credo.models import GPRegressor
from credo.numerics.constraints import Fixed, Positive
from textbook_gp import Textbook, matern52, rbf

KERNEL = Matern52(1.3, [0.7, 1.4])


@pytest.fixture(scope="module")
def rows():
    """24 points, eight of them measured again, with weights and a known variance for each row."""
    rng = np.random.default_rng(0)
    X = np.array([300.0, -0.02]) + rng.normal(size=(24, 2)) * [50.0, 0.003]
    X = np.concatenate([X, X[:8]])
    y = 1000.0 + 40.0 * np.sin((X[:, 0] - 300.0) / 20.0) + 15.0 * rng.normal(size=32)
    return X, y, rng.integers(0, 3, size=32), rng.uniform(0.0, 100.0, size=32)


def at_the_same_parameters(gp, X, y, w, known):
    """A fit of all rows at once with the parameters and the scaling that `gp` learnt."""
    scaling, process = gp.scaling_, gp.posterior_.process
    whole = GPRegressor(
        kernel=gp.kernel_, mean=process.mean, noise_variance=Fixed(process.noise.level), inference=None,
        standardize=False,
    )  # fmt: skip
    return whole.fit(scaling.inputs(X), scaling.targets(y), sample_weight=w, noise=scaling.variances(known))


@pytest.mark.parametrize("mean", [pytest.param("zero", marks=pytest.mark.slow), "linear"])
def test_further_rows_are_a_refit_at_the_same_parameters(rows, mean):
    X, y, w, known = rows
    new = X[:16] + np.array([7.0, 0.0004])
    gp = GPRegressor(mean=mean, inference="map", random_state=0, n_restarts=0, noise_variance=Positive(0.1))
    for chunk in np.split(np.arange(32), [18, 19, 26]):
        gp.partial_fit(X[chunk], y[chunk], sample_weight=w[chunk], noise=known[chunk])
    whole = at_the_same_parameters(gp, *rows)
    shift, scale = float(gp.scaling_.target_shift), float(gp.scaling_.target_scale)
    Z = gp.scaling_.inputs(new)
    np.testing.assert_allclose(gp.predict(new), shift + scale * whole.predict(Z), rtol=1e-8)
    np.testing.assert_allclose(gp.predict_dist(new).std, scale * np.asarray(whole.predict_dist(Z).std), rtol=1e-8)
    expected = whole.log_evidence_ - np.sum(w) * np.log(scale)
    np.testing.assert_allclose(gp.log_evidence_, expected, rtol=1e-8)
    np.testing.assert_allclose(gp.loo_.mean, shift + scale * np.asarray(whole.loo_.mean), rtol=1e-8)
    np.testing.assert_allclose(gp.loo_.std, scale * np.asarray(whole.loo_.std), rtol=1e-8)
    np.testing.assert_allclose(gp.noise_variance_, scale**2 * whole.noise_variance_, rtol=1e-10)


def test_one_further_row_compiles_nothing(rows):
    """Neither the update nor the prediction after it, inside a padding bucket."""
    X, y, _, known = rows
    gp = GPRegressor(kernel=KERNEL, inference=None)
    gp.fit(X[:18], y[:18], noise=known[:18])
    gp.partial_fit(X[18:19], y[18:19], noise=known[18:19]).predict_interval(X[:3])
    compiled = []
    listener = lambda event, duration, **_: compiled.append(event) if "backend_compile" in event else None  # noqa: E731
    jax.monitoring.register_event_duration_secs_listener(listener)
    try:
        for i in (19, 20, 21):
            gp.partial_fit(X[i : i + 1], y[i : i + 1], noise=known[i : i + 1])
            gp.predict_interval(X[: i - 15])
    finally:
        jax.monitoring.unregister_event_duration_listener(listener)
    assert not compiled
    assert gp.posterior_.alpha.shape == (22,)


def test_without_noise_a_further_row_repeats_or_contradicts(rows):
    X, y = rows[0][:20], rows[1][:20]
    exact = GPRegressor(kernel=KERNEL, noise_variance=0, inference=None).fit(X, y)
    evidence, before = exact.log_evidence_, exact.predict(X)
    exact.partial_fit(X[:2], y[:2])
    np.testing.assert_allclose(exact.log_evidence_, evidence, rtol=1e-12)
    np.testing.assert_allclose(exact.predict(X), before, rtol=1e-12)
    assert exact.certificate_.jitter == 0.0
    assert len(exact.loo_.mean) == 22
    assert exact.loo_.std[0] < 1e-5 * exact.loo_.std[2]
    known = dict(vars(exact))
    with pytest.raises(InputError, match="different results"):
        exact.partial_fit(X[:1], y[:1] + 1.0)
    assert all(vars(exact)[name] is value for name, value in known.items())
    exact.partial_fit(np.concatenate([X[:1], X[:1] + 30.0]), np.append(y[:1], 1010.0))
    np.testing.assert_allclose(exact.predict(X[:1] + 30.0), [1010.0], rtol=1e-6)


def test_failed_partial_fit_changes_nothing(rows):
    X, y, *_ = rows
    gp = GPRegressor(kernel=KERNEL, inference=None).partial_fit(X, y)
    before = dict(vars(gp))
    for bad in ((X * np.nan, y, {}), (X[:, :1], y, {}), (X, y, {"noise": -np.ones(32)})):
        with pytest.raises(InputError):
            gp.partial_fit(bad[0], bad[1], **bad[2])
    assert vars(gp).keys() == before.keys()
    assert all(vars(gp)[name] is value for name, value in before.items())


def tables():
    rng = np.random.default_rng(1)
    wave, pair = np.linspace(-3, 3, 20)[:, None], rng.normal(size=(31, 2))
    yield "wave", wave, np.sin(2 * wave[:, 0]) + 0.2 * rng.normal(size=20)
    yield "two columns", pair, pair[:, 0] * np.sin(pair[:, 1]) + 0.1 * rng.normal(size=31)
    patients = load_diabetes()
    yield "diabetes", patients.data[:30, [2, 8]] / 0.05, (patients.target[:30] - 150.0) / 80.0


@pytest.mark.parametrize(("X", "y"), [table[1:] for table in tables()], ids=[table[0] for table in tables()])
def test_evidence_reaches_that_of_scikit_learn(X, y):
    """The same kernel, maximum likelihood, five starts each."""
    d = X.shape[1]
    ours = GPRegressor(kernel=RBF(1.0, np.ones(d)), inference="ml", standardize=False, random_state=0).fit(X, y)
    theirs = GaussianProcessRegressor(
        ConstantKernel(1.0) * PeerRBF(np.ones(d), (1e-3, 1e6)) + WhiteKernel(0.1), alpha=0.0,
        n_restarts_optimizer=4, random_state=0,
    ).fit(X, y)  # fmt: skip
    assert ours.log_evidence_ >= theirs.log_marginal_likelihood_value_ - 1e-3
    k = lambda A, B: rbf(A, B, float(ours.kernel_.variance), np.asarray(ours.kernel_.lengthscale))  # noqa: E731
    dense = Textbook(k, X, y, ours.noise_variance_)
    np.testing.assert_allclose(ours.log_evidence_, dense.log_evidence(), rtol=1e-8)
    np.testing.assert_allclose(ours.optima_[0].objective, ours.log_evidence_, rtol=1e-9)


def test_optima_are_in_your_units(rows):
    """Maximum likelihood: the objective is the log evidence of your targets, whatever the scaling, weights included."""
    X, y, w, _ = rows
    gp = GPRegressor(kernel=RBF(), inference="ml", random_state=0).fit(X, y, sample_weight=w)
    np.testing.assert_allclose(gp.optima_[0].objective, gp.log_evidence_, rtol=1e-10)
    larger = GPRegressor(kernel=RBF(), inference="ml", random_state=0).fit(X, 100.0 * y, sample_weight=w)
    np.testing.assert_allclose(larger.log_evidence_, gp.log_evidence_ - np.sum(w) * np.log(100.0), rtol=1e-6)


def test_the_surface_of_the_evidence_is_that_of_your_targets(rows):
    """Weights, known noise and standard units included; where the fit is, it is the evidence of the fit."""
    X, y, w, known = rows
    gp = GPRegressor(kernel=KERNEL, noise_variance=Positive(0.1), inference=None).fit(
        X, y, sample_weight=w, noise=known
    )
    surface = gp.evidence_surface("lengthscale[1]", points=3, reach=1.0)
    assert surface.names == ("kernel.lengthscale[1]", "noise.level")
    np.testing.assert_allclose(surface.log_evidence[1, 1], gp.log_evidence_, rtol=1e-10)
    Z, scale = gp.scaling_.inputs(X), float(gp.scaling_.target_scale)
    every = np.repeat(np.arange(len(y)), w)
    for i, length in enumerate(surface.x):
        for j, level in enumerate(surface.y):
            k = lambda A, B, length=length: scale**2 * matern52(A, B, 1.3, np.array([0.7, length]))  # noqa: E731
            shift = float(gp.scaling_.target_shift)
            dense = Textbook(
                k, Z[every], y[every], scale**2 * level + known[every], lambda A, m=shift: np.full(len(A), m)
            )
            np.testing.assert_allclose(surface.log_evidence[i, j], dense.log_evidence(), rtol=1e-8)


def test_the_surface_has_the_optima_of_the_search_and_refuses_what_is_too_much(rows):
    X, y, *_ = rows
    gp = GPRegressor(kernel=RBF(), inference="ml", random_state=0).fit(X, y)
    surface = gp.evidence_surface(points=3)
    ends = [(float(o.process.kernel.lengthscale), float(o.process.noise.level)) for o in gp.optima_]
    np.testing.assert_allclose(surface.optima, ends, rtol=1e-12)
    assert surface.optima[0] == pytest.approx(surface.at)
    np.testing.assert_allclose(surface.log_evidence.max(), gp.log_evidence_, rtol=1e-9)
    with pytest.raises(TooLargeError, match="GPRegressor: 24 distinct rows"):
        gp.evidence_surface(points=200_000)
    with pytest.raises(NotFittedError):
        GPRegressor().evidence_surface()


def test_units_do_not_matter(rows):
    X, y, *_ = rows
    one = GPRegressor(kernel=KERNEL, random_state=0).fit(X, y)
    other = GPRegressor(kernel=KERNEL, random_state=0).fit(X * [1e8, 1e-8] - 7.0, 1e-3 * y + 2.0)
    np.testing.assert_allclose(other.predict(X * [1e8, 1e-8] - 7.0), 1e-3 * one.predict(X) + 2.0, rtol=1e-6)


def test_the_seed_decides_and_weights_are_rows(rows):
    X, y, w, _ = rows
    one, same = (GPRegressor(kernel=KERNEL, random_state=1).fit(X, y, sample_weight=w) for _ in range(2))
    twice = GPRegressor(kernel=KERNEL, random_state=1).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_array_equal(one.predict(X), same.predict(X))
    np.testing.assert_allclose(twice.predict(X), one.predict(X), rtol=1e-9)
    np.testing.assert_allclose(twice.log_evidence_, one.log_evidence_, rtol=1e-9)


def test_known_noise_replaces_the_learnt_one(rows):
    """Unless `noise_variance` asks for further noise beside it, which is then added."""
    X, y, _, known = rows
    alone = GPRegressor(kernel=KERNEL, inference=None).fit(X, y, noise=known)
    beside = GPRegressor(kernel=KERNEL, inference=None, noise_variance=0.2).fit(X, y, noise=known)
    k = lambda A, B: matern52(A, B, 1.3 * y.var(), X.std(axis=0) * [0.7, 1.4])  # noqa: E731
    for gp, further in ((alone, 0.0), (beside, 0.2 * y.var())):
        dense = Textbook(k, X, y, known + further, mean=lambda A: np.full(len(A), y.mean()))
        np.testing.assert_allclose(gp.log_evidence_, dense.log_evidence(), rtol=1e-9)
        # A new measurement has the further noise beside its own, which is the median unless it is given.
        np.testing.assert_allclose(gp.predict_dist(X).budget.noise, np.full(32, np.median(known) + further), rtol=1e-9)
        np.testing.assert_allclose(gp.predict_dist(X, noise=known).budget.noise, known + further, rtol=1e-9)


def test_clone_keeps_kernels_and_the_text_shows_them():
    gp = GPRegressor(kernel=Linear() + RBF(2.0, Fixed(0.5)), mean="linear", noise_variance=Positive(0.3))
    copy = clone(gp)
    assert copy is not gp
    assert repr(copy) == repr(gp)
    assert repr(copy.get_params()["kernel"]) == "Linear(variance=1) + RBF(variance=2, lengthscale=Fixed(0.5))"
    assert repr(clone(GPRegressor(kernel=RBF()))) == "GPRegressor(kernel=RBF(variance=1, lengthscale=1))"
    changed = clone(gp).set_params(kernel=White(), noise_variance=0.0)
    assert isinstance(changed.kernel, White)
    assert not hasattr(changed, "kernel_")
