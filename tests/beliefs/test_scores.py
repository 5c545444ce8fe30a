"""Proper scores: by hand, and the truth scores best."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from credo.beliefs import (
    Bernoulli,
    Categorical,
    Empirical,
    Mixture,
    MultivariateNormal,
    Normal,
    Uniform,
    brier,
    crps,
    energy,
    interval_score,
    log_score,
    pinball,
)
from credo.errors import InputError, UndefinedError


def test_log_score_is_minus_the_log_density_and_infinite_when_ruled_out():
    np.testing.assert_allclose(
        log_score(Normal(1.0, 2.0), 3.0), 0.5 + np.log(2.0) + 0.5 * np.log(2 * np.pi), rtol=1e-14
    )
    assert log_score(Uniform(0.0, 1.0), 2.0) == np.inf


def test_interval_score_by_hand():
    belief = Uniform(0.0, 10.0)  # the central 80 percent are 1 to 9
    np.testing.assert_allclose(interval_score(belief, jnp.array([5.0, 0.5, 9.25]), 0.8), [8.0, 8.0 + 5.0, 8.0 + 2.5])


def test_pinball_by_hand_and_its_integral_is_half_the_crps():
    belief = Uniform(0.0, 1.0)
    np.testing.assert_allclose(pinball(belief, 0.9, 0.25), 0.25 * 0.65)
    np.testing.assert_allclose(pinball(belief, 0.1, 0.25), 0.75 * 0.15)
    levels = (np.arange(20_000) + 0.5) / 20_000
    np.testing.assert_allclose(2.0 * np.mean(pinball(belief, 0.3, levels)), crps(belief, 0.3), rtol=1e-6)


def test_brier_by_hand_and_two_classes_count_twice():
    np.testing.assert_allclose(brier(Bernoulli(0.8), jnp.array([1.0, 0.0])), [0.04, 0.64])
    np.testing.assert_allclose(brier(Categorical(jnp.array([0.2, 0.8])), 1), 2 * 0.04)
    np.testing.assert_allclose(brier(Categorical(jnp.array([0.2, 0.3, 0.5])), 2), 0.04 + 0.09 + 0.25)


def test_energy_of_numbers_is_the_crps_within_four_standard_errors():
    belief = Normal(jnp.array([0.0, 1.0]), 2.0)
    n = 40_000
    np.testing.assert_allclose(energy(belief, 0.5, draws=n), crps(belief, 0.5), atol=4 * 2.0 * 1.5 / np.sqrt(n))


def test_energy_of_a_standard_normal_plane_against_the_closed_form():
    """E‖X‖ = √(π/2) and E‖X − X'‖ = √π in the plane."""
    belief = MultivariateNormal(jnp.zeros(2), jnp.eye(2))
    expected = np.sqrt(np.pi / 2) - 0.5 * np.sqrt(np.pi)
    n = 40_000
    np.testing.assert_allclose(energy(belief, jnp.zeros(2), draws=n), expected, atol=4 / np.sqrt(n))
    assert energy(belief, jnp.zeros(2)) == energy(belief, jnp.zeros(2))


def test_energy_of_samples_is_the_double_sum():
    rng = np.random.default_rng(0)
    x, w, y = rng.normal(size=(5, 3)), rng.uniform(size=5), rng.normal(size=3)
    w = w / w.sum()
    apart = np.linalg.norm(x[:, None] - x, axis=-1)
    naive = np.sum(w * np.linalg.norm(x - y, axis=-1)) - 0.5 * w @ apart @ w
    np.testing.assert_allclose(energy(Empirical(x, w, event_ndim=1), y), naive, rtol=1e-12)
    np.testing.assert_allclose(energy(Empirical(x[:, 0], w), 0.3), crps(Empirical(x[:, 0], w), 0.3), rtol=1e-12)


def _excess(score, truth, other, y):
    excess = np.asarray(score(other, y) - score(truth, y))
    return excess.mean() / (excess.std() / np.sqrt(excess.size))


@pytest.mark.parametrize(
    "score",
    [log_score, crps, lambda b, y: interval_score(b, y, 0.8), lambda b, y: pinball(b, y, 0.9)],
    ids=["log", "crps", "interval", "pinball"],
)
def test_numbers_the_truth_scores_best_in_expectation(score):
    truth = Mixture(jnp.array([0.3, 0.7]), Normal(jnp.array([-1.0, 1.0]), jnp.array([0.5, 1.0])))
    y = truth.sample(20_000, random_state=1)
    for other in (Normal(truth.mean, 0.6 * truth.std), Normal(truth.mean + 0.4, truth.std)):
        assert _excess(score, truth, other, y) > 2.0


@pytest.mark.parametrize("score", [log_score, brier], ids=["log", "brier"])
def test_classes_the_truth_scores_best_in_expectation(score):
    truth = Categorical(jnp.array([0.2, 0.3, 0.5]))
    y = truth.sample(20_000, random_state=2)
    for other in (Categorical(jnp.array([0.2, 0.4, 0.4])), Categorical(jnp.array([0.1, 0.3, 0.6]))):
        assert _excess(score, truth, other, y) > 2.0


def test_vectors_the_truth_scores_best_in_expectation():
    truth = MultivariateNormal(jnp.zeros(2), jnp.array([[1.0, 0.8], [0.8, 1.0]]))
    y = truth.sample(4000, random_state=3)
    score = jax.jit(
        jax.vmap(lambda row, scale: energy(MultivariateNormal(jnp.zeros(2), scale), row, draws=512), (0, None))
    )
    own = score(y, jnp.array([[1.0, 0.8], [0.8, 1.0]]))
    for other in (jnp.eye(2), jnp.array([[1.0, -0.8], [-0.8, 1.0]])):
        assert np.mean(score(y, other)) > np.mean(own)


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="NaN"):
        log_score(Normal(0.0, 1.0), jnp.array([0.0, jnp.nan]))
    with pytest.raises(InputError, match="not numeric"):
        log_score(Normal(0.0, 1.0), np.array(["three"]))
    with pytest.raises(InputError, match="0 or 1"):
        brier(Bernoulli(0.5), 2.0)
    with pytest.raises(InputError, match="class code"):
        brier(Categorical(jnp.array([0.5, 0.5])), 2)
    with pytest.raises(UndefinedError, match="no class probabilities"):
        brier(Normal(0.0, 1.0), 0.0)
    with pytest.raises(InputError, match="draws"):
        energy(Normal(0.0, 1.0), 0.0, draws=1)
