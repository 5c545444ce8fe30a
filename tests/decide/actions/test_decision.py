"""Decisions: closed forms against sampling, sampling against closed forms, and how often its errors hold the truth."""

import numpy as np
import pytest
from scipy import stats

from credo.beliefs import Bernoulli, Beta, Categorical, Empirical, Gamma, MultivariateNormal, Normal, StudentT, Uniform
from credo.decide.actions import Absolute, Costs, LinearLoss, Pinball, Squared, ZeroOne, bayes_action
from credo.decide.actions import decision as module
from credo.errors import InputError, UndefinedError


def squared(action, y):
    return (y - action) ** 2


def test_all_numbers():
    belief = Gamma([2.0, 5.0], 1.0)
    exact = bayes_action(belief, "squared")
    np.testing.assert_allclose(exact.action, [2.0, 5.0])
    np.testing.assert_allclose(exact.expected_loss, [2.0, 5.0])
    assert exact.certificate.kind == "exact"
    assert exact.margin is None
    assert exact.rejected.tolist() == [False, False]
    sampled = bayes_action(belief, Pinball(0.8), draws=40_000)
    np.testing.assert_allclose(sampled.action, stats.gamma([2.0, 5.0]).ppf(0.8), rtol=1e-6)
    truth = [
        stats.gamma(k).expect(lambda y, q=q: Pinball(0.8).of(q, y))
        for k, q in zip([2.0, 5.0], sampled.action, strict=True)
    ]
    assert sampled.certificate.kind == "estimated"
    assert np.all(np.abs(sampled.expected_loss - truth) < 4 * sampled.error)


def test_finitely_many_actions_by_hand():
    found = bayes_action(Normal(10.0, 2.0), "squared", [9.0, 12.0, 20.0])
    assert found.action == 9.0
    assert found.runner_up == 12.0
    assert found.index == 0
    assert found.expected_loss == pytest.approx(5.0)
    assert found.margin == pytest.approx(3.0)
    assert found.margin_error == 0.0
    np.testing.assert_allclose(found.losses, [5.0, 8.0, 104.0])
    assert str(found) == "9.0: expected loss 5; 12.0 costs 3 more (exact, converged)"


@pytest.mark.parametrize("loss", [Squared(), Absolute(), Pinball(0.7)], ids=repr)
def test_the_function_agrees_with_the_closed_form(loss):
    belief = Normal([0.0, 1.0, 2.5], [1.0, 0.3, 2.0])
    actions = [-0.5, 0.4, 1.2, 3.0]
    exact = bayes_action(belief, loss, actions)
    sampled = bayes_action(belief, lambda a, y: loss.of(a, y), actions, draws=60_000, random_state=1)
    assert sampled.action.tolist() == exact.action.tolist()
    assert np.all(np.abs(sampled.losses - exact.losses) < 4.5 * sampled.losses_error)
    assert np.all(np.abs(sampled.margin - exact.margin) < 4 * sampled.margin_error)
    assert np.all(sampled.margin_error < 0.05)


def test_errors_hold_the_truth_as_often_as_they_say():
    """Four actions, two of them nearly as good: the interval of the margin, and of the loss, at 90 %."""
    actions, belief = np.array([-0.05, 0.06, 0.8, -1.0]), Normal(0.0, 1.0)
    truth = 1.0 + actions**2
    z = stats.norm.ppf(0.95)
    held = {"margin": 0, "loss": 0}
    times = 600
    for seed in range(times):
        found = bayes_action(belief, squared, actions.tolist(), draws=256, random_state=seed)
        second = actions.tolist().index(found.runner_up)
        held["margin"] += abs(found.margin - (truth[second] - truth[found.index])) <= z * found.margin_error
        held["loss"] += abs(found.expected_loss - truth[found.index]) <= z * found.error
    for count in held.values():
        assert stats.binomtest(count, times, 0.9).pvalue > 1e-3


def test_common_draws_make_the_error_of_the_difference_small():
    found = bayes_action(Normal(0.0, 10.0), squared, [0.0, 0.1], draws=20_000)
    independent = np.hypot(*found.losses_error)
    assert found.margin_error < 0.05 * independent


def test_finite_beliefs_are_exact_for_any_loss():
    loss = lambda a, y: np.exp(a * y / 10.0)  # noqa: E731
    found = bayes_action(Empirical([1.0, 2.0, 9.0], [1.0, 1.0, 2.0]), loss, [-1.0, 1.0])
    assert found.certificate.kind == "exact"
    assert found.expected_loss == pytest.approx(0.25 * np.exp(-0.1) + 0.25 * np.exp(-0.2) + 0.5 * np.exp(-0.9))
    coin = bayes_action(Bernoulli([0.1, 0.9]), lambda a, y: np.abs(y - a), [0, 1])
    assert coin.action.tolist() == [0, 1]


def test_classes_costs_and_rejection():
    belief = Categorical([[0.5, 0.4, 0.1], [0.05, 0.05, 0.9]])
    found = bayes_action(belief, ZeroOne(reject=0.3))
    assert found.action.tolist() == ["reject", 2]
    assert found.rejected.tolist() == [True, False]
    np.testing.assert_allclose(found.expected_loss, [0.3, 0.1])
    np.testing.assert_allclose(found.margin, [0.2, 0.2])
    assert bayes_action(belief, "zero_one").action.tolist() == [0, 2]
    doctor = bayes_action(Bernoulli(0.15), Costs([[0.0, 10.0], [1.0, 0.0]]), ["wait", "treat"])
    assert (doctor.action, doctor.runner_up) == ("treat", "wait")
    assert doctor.margin == pytest.approx(1.5 - 0.85)


def test_rejecting_is_chows_rule():
    """Reject where the largest probability is below 1 − cost (Chow 1970)."""
    p = np.random.default_rng(0).dirichlet(np.ones(4), size=200)
    found = bayes_action(Categorical(p), ZeroOne(reject=0.45))
    np.testing.assert_array_equal(found.rejected, np.max(p, axis=1) < 0.55)
    np.testing.assert_array_equal(found.index[~found.rejected], np.argmax(p, axis=1)[~found.rejected])


def test_vectors_by_a_function():
    belief = MultivariateNormal([1.0, -1.0], np.array([[1.0, 0.5], [0.5, 2.0]]))
    found = bayes_action(belief, lambda a, y: np.sum((y - np.array(a)) ** 2, axis=-1), [(1.0, -1.0), (0.0, 0.0)])
    assert found.action == (1.0, -1.0)
    assert abs(found.expected_loss - 3.0) < 4 * found.error
    assert abs(found.margin - 2.0) < 4 * found.margin_error


def test_rows_in_blocks_are_decided_as_rows(monkeypatch):
    belief = Normal(np.linspace(-1.0, 1.0, 11), 0.5)
    monkeypatch.setattr(module, "_NUMBERS", 5000)
    found = bayes_action(belief, squared, [-0.5, 0.5], draws=2000)
    assert found.losses.shape == (11, 2)
    clear = np.abs(np.linspace(-1.0, 1.0, 11)) > 0.1
    expected = np.where(np.linspace(-1.0, 1.0, 11) < 0, -0.5, 0.5)
    np.testing.assert_array_equal(found.action[clear], expected[clear])
    alone = bayes_action(StudentT(5.0, np.linspace(0.0, 1.0, 11), 1.0), "absolute", draws=2000)
    np.testing.assert_allclose(alone.action, np.linspace(0.0, 1.0, 11), atol=1e-9)
    truth = stats.t(5.0).expect(np.abs)
    assert np.all(np.abs(alone.expected_loss - truth) < 4.5 * alone.error)


def test_a_close_call_is_said():
    found = bayes_action(Normal(0.0, 1.0), squared, [-0.001, 0.001], draws=400)
    assert any("runner-up is within" in note for note in found.certificate.notes)
    assert "of 2 rows" in str(bayes_action(Normal([0.0, 0.0], 1.0), squared, [-0.001, 0.001], draws=400).certificate)


def test_the_same_seed_gives_the_same_answer():
    one, two, other = (bayes_action(Beta(2.0, 3.0), squared, [0.3, 0.5], random_state=s) for s in (3, 3, 4))
    assert one.expected_loss == two.expected_loss != other.expected_loss


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((3.0, "squared"), "no belief"),
        ((Normal(0.0, 1.0), "hinge"), "no loss"),
        ((Normal(0.0, 1.0), "squared", [1.0]), "1 actions"),
        ((Normal(0.0, 1.0), "squared", []), "0 actions"),
        ((Normal(0.0, 1.0), squared), "no actions"),
        ((Normal(0.0, 1.0), lambda a, y: y[:3], [0, 1]), "shape"),
        ((Normal(0.0, 1.0), lambda a, y: np.where(y > 0, np.nan, y), [0, 1]), "action 0 is not finite"),
        ((Normal(0.0, 1.0), LinearLoss([0.0, 1.0], [1.0, 0.0]), ["a"]), "1 actions, but 2 rows"),
    ],
)
def test_bad_input(arguments, says):
    with pytest.raises(InputError, match=says):
        bayes_action(*arguments)


@pytest.mark.parametrize("draws", [0, 3, 100.0, True, "many"])
def test_bad_numbers_of_draws(draws):
    with pytest.raises(InputError, match="draws"):
        bayes_action(Normal(0.0, 1.0), squared, [0.0, 1.0], draws=draws)


def test_what_has_no_answer():
    with pytest.raises(UndefinedError, match="mean"):
        bayes_action(StudentT(0.9, 0.0, 1.0), "squared")


def test_actions_may_be_arrays():
    doses = [np.array([0.0, 1.0]), np.array([2.0, 0.0])]
    cost = lambda dose, y: (y - dose[0]) ** 2 + dose[1]  # noqa: E731
    one = bayes_action(Normal(2.0, 0.1), cost, doses)
    assert one.action is doses[1]
    assert one.rejected is False or not one.rejected
    several = bayes_action(Normal([2.0, 0.0], 0.1), cost, doses)
    assert several.rejected.tolist() == [False, False]
    np.testing.assert_array_equal(np.stack(list(several.action)), [doses[1], doses[0]])


def test_beliefs_of_several_batch_axes_go_in_blocks_too(monkeypatch):
    sizes = []
    tops = np.arange(1.0, 13.0).reshape(3, 4)
    belief = Uniform(np.zeros((3, 4)), tops)
    cost = lambda a, y: (sizes.append(np.size(y)), np.abs(y - a))[1]  # noqa: E731
    monkeypatch.setattr(module, "_NUMBERS", 5 * 4000)
    found = bayes_action(belief, cost, [1.0, 4.0, 9.0], draws=4000)
    assert max(sizes) <= 5 * 4000
    assert found.losses.shape == (3, 4, 3)
    assert found.index.shape == found.margin.shape == found.action.shape == (3, 4)
    truth = [[expected_distance(a, top) for a in (1.0, 4.0, 9.0)] for top in tops.ravel()]
    assert np.all(np.abs(found.losses - np.reshape(truth, (3, 4, 3))) < 5 * found.losses_error + 1e-9)
    best = bayes_action(belief, Pinball(0.8), draws=4000)
    np.testing.assert_allclose(best.action, 0.8 * tops)
    assert np.all(np.abs(best.expected_loss - 0.08 * tops) < 5 * best.error)  # τ (1 − τ) / 2 of the width


def expected_distance(a, top):
    """E |y − a| of y uniform from 0 to top."""
    inside = min(a, top)
    return (inside**2 + (top - inside) ** 2) / (2.0 * top) + a - inside
