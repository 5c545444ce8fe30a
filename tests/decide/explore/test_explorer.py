"""The explorer against determinants of joint Gaussians, against refits with the picks added, and against laws."""

import jax
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from credo.decide.explore import Explorer
from credo.errors import InputError
from credo.kernels import RBF, Matern52
from credo.models import GPRegressor

NOISE = 0.05
RNG = np.random.default_rng(0)
X, Y = RNG.random((6, 2)), RNG.normal(size=6)
S, A = RNG.random((9, 2)), RNG.random((5, 2)) + 0.5
KERNEL = Matern52(lengthscale=[0.4, 0.7], variance=1.3)


def fitted(rows=X, values=Y, noise=NOISE, kernel=KERNEL):
    return GPRegressor(kernel=kernel, noise_variance=noise, inference=None, standardize=False).fit(rows, values)


def posterior_covariance(rows, data, noise=NOISE, kernel=KERNEL):
    """The textbook formula: the covariance of f at rows, given measurements at data."""
    both = np.asarray(kernel(np.concatenate([rows, data])))
    m = len(rows)
    middle = np.linalg.inv(both[m:, m:] + noise * np.eye(len(data)))
    return both[:m, :m] - both[:m, m:] @ middle @ both[m:, :m]


def mutual_information(x, targets, data, noise=NOISE):
    """Of y at x and f at targets: by determinants of their joint covariance."""
    joint = posterior_covariance(np.concatenate([x[None], targets]), data)
    joint[0, 0] += noise
    return 0.5 * (np.log(joint[0, 0]) + np.linalg.slogdet(joint[1:, 1:])[1] - np.linalg.slogdet(joint)[1])


def test_itl_is_the_mutual_information_and_a_batch_is_conditioned_on_its_picks():
    picked = Explorer(fitted(), targets=A, candidates=S).ask(4)
    data = X
    for index, gain, left in zip(picked.indices, picked.gains, picked.left, strict=True):
        wanted = np.array([mutual_information(x, A, data) for x in S])
        assert index == np.argmax(wanted)
        np.testing.assert_allclose(gain, np.max(wanted), rtol=1e-8)
        data = np.concatenate([data, S[[index]]])
        np.testing.assert_allclose(left, np.trace(posterior_covariance(A, data)), rtol=1e-8)
    np.testing.assert_allclose(picked.before, np.trace(posterior_covariance(A, X)), rtol=1e-8)


def test_vtl_leaves_the_variance_that_refits_leave():
    picked = Explorer(fitted(), targets=A, candidates=S, criterion="vtl").ask(4)
    rows, values, before = X, Y, float(np.sum(fitted().posterior(A).variance))
    for index, gain, left in zip(picked.indices, picked.gains, picked.left, strict=True):
        refits = [fitted(np.vstack([rows, x]), np.append(values, 7.0)) for x in S]  # any result: variances are blind
        wanted = np.array([float(np.sum(refit.posterior(A).variance)) for refit in refits])
        assert index == np.argmin(wanted)
        np.testing.assert_allclose(left, np.min(wanted), rtol=1e-8)
        np.testing.assert_allclose(gain, before - left, rtol=1e-7)
        rows, values, before = np.vstack([rows, S[index]]), np.append(values, 7.0), left


@pytest.mark.parametrize("criterion", ["itl", "vtl"])
@pytest.mark.parametrize("targets", [None, A], ids=["undirected", "directed"])
def test_a_batch_is_what_single_asks_with_the_picks_measured_give(criterion, targets):
    batch = Explorer(fitted(), targets=targets, candidates=S, criterion=criterion).ask(5)
    rows, values, single = X, Y, []
    for _ in range(5):
        one = Explorer(fitted(rows, values), targets=targets, candidates=S, criterion=criterion).ask()
        single.append((int(one.indices[0]), float(one.gains[0]), float(one.left[0])))
        rows, values = np.vstack([rows, one.rows]), np.append(values, -3.0)
    np.testing.assert_allclose(np.array(single), np.column_stack([batch.indices, batch.gains, batch.left]), rtol=1e-7)


@pytest.mark.parametrize("criterion", ["itl", "vtl"])
def test_no_targets_are_all_candidates(criterion):
    open_ended = Explorer(fitted(), candidates=S, criterion=criterion).ask(4)
    spelt_out = Explorer(fitted(), targets=S, candidates=S, criterion=criterion).ask(4)
    assert open_ended.indices.tolist() == spelt_out.indices.tolist()
    np.testing.assert_allclose(open_ended.gains, spelt_out.gains, rtol=1e-6)
    np.testing.assert_allclose(open_ended.left, spelt_out.left, rtol=1e-6)


def test_measurements_under_way_count_as_made():
    under_way = RNG.random((2, 2))
    picked = Explorer(fitted(), targets=A, candidates=S).ask(2, pending=under_way)
    measured = fitted(np.vstack([X, under_way]), np.append(Y, [0.0, 0.0]))
    wanted = Explorer(measured, targets=A, candidates=S).ask(2)
    assert picked.indices.tolist() == wanted.indices.tolist()
    np.testing.assert_allclose(picked.gains, wanted.gains, rtol=1e-7)
    np.testing.assert_allclose(picked.before, wanted.before, rtol=1e-7)


@pytest.mark.parametrize("criterion", ["itl", "vtl"])
def test_what_is_under_way_is_no_target(criterion):
    under_way = np.array([[0.1, 0.9], [2.0, 2.0]])
    picked = Explorer(fitted(), candidates=S, criterion=criterion).ask(3, pending=under_way)
    measured = fitted(np.vstack([X, under_way]), np.append(Y, [0.0, 0.0]))
    wanted = Explorer(measured, candidates=S, criterion=criterion).ask(3)
    assert picked.indices.tolist() == wanted.indices.tolist()
    np.testing.assert_allclose(picked.gains, wanted.gains, rtol=1e-7)
    np.testing.assert_allclose(picked.left, wanted.left, rtol=1e-7)
    data = np.vstack([X, under_way])
    np.testing.assert_allclose(picked.before, np.trace(posterior_covariance(S, data)), rtol=1e-7)


def test_several_functions_measured_together_add_up():
    other = fitted(kernel=RBF(lengthscale=[0.9, 0.2], variance=2.0))
    both = Explorer([fitted(), other], targets=A, candidates=S).ask()
    apart = [
        np.array([Explorer(model, targets=A, candidates=S[[j]]).ask().gains[0] for j in range(9)])
        for model in (fitted(), other)
    ]
    assert both.indices[0] == np.argmax(apart[0] + apart[1])
    np.testing.assert_allclose(both.gains[0], np.max(apart[0] + apart[1]), rtol=1e-10)


def test_it_goes_where_the_targets_are():
    candidates = np.random.default_rng(3).random((60, 2))
    region = candidates[(candidates[:, 0] > 0.7) & (candidates[:, 1] > 0.7)] + 0.3  # beyond what can be measured
    model = fitted(X, Y, kernel=RBF(lengthscale=[0.5, 0.5]))
    directed = Explorer(model, targets=region, candidates=candidates).ask(5)
    undirected = Explorer(model, candidates=candidates).ask(5)
    away = [np.mean(np.linalg.norm(picked.rows - 1.0, axis=1)) for picked in (directed, undirected)]
    assert away[0] < 0.6 * away[1]
    rows = [np.vstack([X, picked.rows]) for picked in (directed, undirected)]
    left = [np.trace(posterior_covariance(region, data, kernel=RBF(lengthscale=[0.5, 0.5]))) for data in rows]
    assert left[0] < left[1]


def test_information_of_undirected_picks_never_grows():
    gains = Explorer(fitted(), candidates=S).ask(12).gains  # submodular where the targets hold the candidates
    assert np.all(np.diff(gains) <= 1e-10)


def test_without_repeats_each_is_picked_once():
    picked = Explorer(fitted(noise=1.0), targets=S[[3]], candidates=S, repeats=False).ask(9)
    assert sorted(picked.indices.tolist()) == list(range(9))
    assert len(set(Explorer(fitted(noise=1.0), targets=S[[3]], candidates=S).ask(9).indices.tolist())) < 9
    with pytest.raises(InputError, match="n=10 of 9"):
        Explorer(fitted(), candidates=S, repeats=False).ask(10)


def test_reasons_are_sentences_with_numbers():
    picked = Explorer(fitted(), targets=A, candidates=S).ask(2)
    assert len(picked) == len(picked.reasons) == 2
    assert f"{picked.gains[1]:.3g} nats about 5 targets" in picked.reasons[1]
    assert f"{picked.left[1] / picked.left[0]:.1%}" in str(picked)
    assert "most for 5 targets" in Explorer(fitted(), targets=A, candidates=S, criterion="vtl").ask().reasons[0]


@pytest.mark.parametrize(
    ("settings", "error", "what"),
    [
        ({"candidates": np.empty((0, 2))}, InputError, "candidates has no rows"),
        ({"targets": np.empty((0, 2))}, InputError, "targets has no rows"),
        ({"candidates": [[0.0, np.nan]]}, InputError, "NaN"),
        ({"targets": [[0.0, 0.0, 0.0]]}, InputError, "3 features"),
        ({"criterion": "luck"}, InputError, "criterion"),
        ({"model": GPRegressor()}, NotFittedError, "not fitted"),
        ({"model": []}, InputError, "no model"),
        ({"model": object()}, InputError, "no covariances"),
    ],
)
def test_bad_input_is_refused(settings, error, what):
    with pytest.raises(error, match=what):
        Explorer(**{"model": fitted(), "candidates": S, **settings})


@pytest.mark.parametrize("n", [0, -1, True, 2.0, 10**9])
def test_a_number_of_picks_is_one(n):
    with pytest.raises(InputError, match="n="):
        Explorer(fitted(), candidates=S).ask(n)


def test_a_further_measurement_or_candidate_compiles_nothing(caplog):
    def ask(extra):
        rng = np.random.default_rng(extra)
        model = fitted(rng.random((5 + extra, 2)), rng.normal(size=5 + extra))
        return Explorer(model, targets=rng.random((7 + extra, 2)), candidates=rng.random((30 + extra, 2))).ask()

    ask(0)
    with jax.log_compiles(), caplog.at_level("WARNING"):
        ask(1)
    assert "Compiling" not in caplog.text
