"""Fitted processes through a file: every kind of inference, and what a file may not hold."""

import jax.numpy as jnp
import numpy as np
import pytest

import credo
from credo.beliefs import LogNormal
from credo.errors import FileError
from credo.infer.gaussian import BasisMean
from credo.kernels import RBF, Linear, Matern52, Warp
from credo.models import GPRegressor
from credo.numerics.constraints import Fixed, Positive

X = np.random.default_rng(0).normal(size=(20, 2))
Y = np.sin(X[:, 0]) + 0.2 * np.random.default_rng(1).normal(size=20)
KERNEL = Matern52(1.3, [0.7, 1.4])
CASES = {
    "given": {"inference": None},
    "map": {"inference": "map"},
    "ml": {"inference": "ml"},
    "mcmc": {"inference": "mcmc", "n_restarts": 0},
    "nuts": {"inference": "nuts", "n_restarts": 0},
}


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.slow] * (way in ("mcmc", "nuts"))) for way in CASES]
)
def test_a_fit_is_the_same_after_a_file(way, tmp_path):
    learned = GPRegressor(kernel=KERNEL, random_state=0, **CASES[way]).fit(X, Y)
    credo.save(learned, tmp_path / "model.credo")
    again = credo.load(tmp_path / "model.credo")
    for ask in (
        lambda gp: gp.predict(X),
        lambda gp: gp.predict_dist(X).variance,
        lambda gp: gp.loo_.mean,
        lambda gp: gp.sample(X[:3], 2, random_state=0),
        lambda gp: gp.evidence_path(),
    ):
        np.testing.assert_array_equal(ask(again), ask(learned))
    assert again.certificate_ == learned.certificate_
    assert again.evidence_ == learned.evidence_
    assert [o.objective for o in again.optima_] == [o.objective for o in learned.optima_]
    assert repr(again.kernel_) == repr(learned.kernel_)
    assert repr(again) == repr(learned)
    if learned.draws_ is None:
        extra = np.array([[0.5, 0.5]]), np.array([0.3])
        np.testing.assert_allclose(
            again.partial_fit(*extra).predict(X), learned.partial_fit(*extra).predict(X), rtol=1e-14
        )
    else:
        np.testing.assert_array_equal(again.draws_.values, learned.draws_.values)
        assert again.draws_.names == learned.draws_.names


def test_what_was_asked_for_is_kept(tmp_path):
    """Constraints and priors of the constructor, before any fit."""
    prior = Positive(0.3, prior=LogNormal(-2.0, 0.5))
    asked = GPRegressor(kernel=Linear() + RBF(2.0, Fixed(0.5)), mean="linear", noise_variance=prior)
    credo.save(asked, tmp_path / "asked.credo")
    again = credo.load(tmp_path / "asked.credo")
    assert repr(again) == repr(asked)
    assert float(again.noise_variance.prior.scale) == 0.5
    assert not hasattr(again, "posterior_")


REFUSED = {
    r"GPRegressor\.kernel\.u is a": {"kernel": Warp(RBF(lengthscale=Fixed(1.0)), jnp.tanh)},
    r"GPRegressor\.mean\.basis is a": {"mean": BasisMean(lambda x: x, [0.0, 0.0])},
}


@pytest.mark.parametrize(("field", "given"), REFUSED.items(), ids=["warp", "basis"])
def test_functions_of_the_user_are_refused_by_the_name_of_their_field(field, given, tmp_path):
    learned = GPRegressor(inference=None, **given).fit(X, Y)
    with pytest.raises(FileError, match=field):
        credo.save(learned, tmp_path / "model.credo")
    assert not list(tmp_path.iterdir())
