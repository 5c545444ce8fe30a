"""ProbCover against the greedy cover written out over all rows."""

import numpy as np
import pytest

from credo.decide.pool import ProbCover, RandomSampler
from credo.decide.pool import balls as balls_module
from credo.errors import InputError
from credo.numerics.progress import show_progress


def exact_greedy(X, delta, n, labelled=()):
    """Every gain of every row counted anew at every pick; when all is covered, half the radius."""
    squares = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    taken, picks, radii, coverage, radius = list(labelled), [], [], [], delta
    while len(picks) < n:
        while squares[:, taken].size and np.max(np.min(squares[:, taken], axis=1)) <= radius**2 and radius > 0.0:
            radius = radius / 2 if np.max(np.min(squares[:, taken], axis=1)) > 0.0 else 0.0
        covered = np.any(squares[:, taken] <= radius**2, axis=1)
        gains = [-1 if i in taken else np.sum(~covered & (squares[i] <= radius**2)) for i in range(len(X))]
        picks.append(gains.index(max(gains)))
        taken.append(picks[-1])
        radii.append(radius)
        coverage.append(np.mean(np.any(squares[:, taken] <= delta**2, axis=1)))
    return picks, radii, coverage


RNG = np.random.default_rng(3)
POOLS = {
    "normal": (RNG.normal(size=(150, 3)), 0.9),
    "all is covered soon": (RNG.normal(size=(60, 2)), 2.5),
    "a grid, where rows lie on borders and gains tie": (np.indices((9, 9)).reshape(2, -1).T.astype(float), 2.0),
    "tenths": (np.indices((8, 8)).reshape(2, -1).T / 10.0, 0.3),
    "rows that come twice": (np.repeat(RNG.normal(size=(25, 2)), 2, axis=0), 0.8),
    "all rows equal": (np.ones((30, 2)), 0.1),
    "nothing near": (RNG.normal(size=(40, 8)), 1e-3),
}


@pytest.mark.parametrize("labelled", [(), (3,), (0, 11, 17)], ids=["none", "one", "three"])
@pytest.mark.parametrize("pool", POOLS)
def test_it_is_the_exact_greedy(pool, labelled):
    X, delta = POOLS[pool]
    picks, radii, coverage = exact_greedy(X, delta, 22, labelled)
    cover = ProbCover(delta=delta).ask(X, 22, labelled)
    assert cover.indices.tolist() == picks
    np.testing.assert_array_equal(cover.radii, radii)
    np.testing.assert_allclose(cover.coverage, coverage, atol=1e-12)
    assert (cover.delta, cover.how) == (delta, "delta was given")


def test_it_is_the_exact_greedy_in_blocks_on_all_cores(monkeypatch):
    monkeypatch.setattr(balls_module, "TALL", 32)
    monkeypatch.setattr(balls_module, "WIDE", 64)
    monkeypatch.setattr(balls_module, "_SMALL", 0)
    X = np.random.default_rng(0).integers(0, 6, size=(300, 3)).astype(float)
    assert ProbCover(delta=2.0).ask(X, 30).indices.tolist() == exact_greedy(X, 2.0, 30)[0]


def test_rounds_of_questions_are_one_question():
    X = RNG.normal(size=(200, 2))
    whole = ProbCover(delta=0.5).ask(X, 12)
    first = ProbCover(delta=0.5).ask(X, 5)
    second = ProbCover(delta=0.5).ask(X, 7, labelled=first.indices)
    np.testing.assert_array_equal(np.concatenate([first.indices, second.indices]), whole.indices)
    np.testing.assert_allclose(second.coverage, whole.coverage[5:])


def test_it_covers_its_share_of_what_the_best_balls_would():
    from itertools import combinations

    X = np.random.default_rng(8).normal(size=(18, 2))
    inside = np.sum((X[:, None] - X[None]) ** 2, axis=2) <= 0.6**2
    best = max(np.mean(np.any(inside[list(rows)], axis=0)) for rows in combinations(range(18), 3))
    assert ProbCover(delta=0.6).ask(X, 3).coverage[-1] >= (1.0 - np.exp(-1.0)) * best


def test_delta_by_purity_finds_the_clumps():
    rng = np.random.default_rng(0)
    label = rng.integers(4, size=400)
    X = rng.normal(size=(400, 5)) + 12.0 * np.eye(4, 5)[label]
    cover = ProbCover(classes=4, random_state=0).ask(X, 4)
    assert sorted(label[cover.indices]) == [0, 1, 2, 3]
    assert cover.coverage[-1] > 0.99
    assert cover.how.startswith("the largest delta at which 95% of the balls hold one pseudo-label only (9")
    assert "4 clusters" in cover.how
    by_random = [len(set(label[RandomSampler(random_state=seed).ask(X, 4).indices])) for seed in range(20)]
    assert np.mean(by_random) < 3.5


@pytest.mark.parametrize(("n", "clusters"), [(1, 2), (7, 7), (30, 10)])
def test_pseudo_labels_without_classes(n, clusters):
    assert f"{clusters} clusters" in ProbCover(random_state=0).ask(RNG.normal(size=(90, 3)), n).how


def test_options_may_be_numpys():
    sampler = ProbCover(delta=np.float64(0.5), alpha=np.float64(0.9), classes=np.int64(10))
    assert (sampler.delta, sampler.alpha, sampler.classes) == (0.5, 0.9, 10)
    assert type(sampler.classes) is int


def test_one_row_and_equal_rows():
    assert ProbCover().ask([[1.0, 2.0]], 1).indices.tolist() == [0]
    cover = ProbCover().ask(np.ones((5, 2)), 3)
    assert cover.indices.tolist() == [0, 1, 2]
    assert cover.how.startswith("k-means finds one cluster")


def test_its_memory_is_that_of_the_rows():
    import tracemalloc

    X = RNG.normal(size=(10_000, 4))
    tracemalloc.start()
    ProbCover(random_state=0).ask(X, 20)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000 * 10_000  # bytes: less than a truth value a pair


def test_progress_names_its_phases(capsys):
    show_progress(True)
    try:
        ProbCover(random_state=0).ask(RNG.normal(size=(3000, 2)), 5)
    finally:
        show_progress(False)
    said = capsys.readouterr().err
    assert [line.split(": ")[1] for line in said.splitlines()[:4]] == ["pseudo-labels", "purity", "counting", "picking"]
    assert "9000 of 9000 steps" in said


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"delta": 0.0}, r"delta=0\.0 is no radius. A radius is positive"),
        ({"delta": -1}, "delta=-1"),
        ({"delta": np.nan}, "delta=nan"),
        ({"delta": np.inf}, "delta=inf"),
        ({"delta": 1e-200}, "delta=1e-200"),
        ({"delta": True}, "delta=True"),
        ({"alpha": 0.0}, r"alpha=0\.0 is no share"),
        ({"alpha": 1.5}, r"alpha=1\.5"),
        ({"classes": 1}, "classes=1. There are two or more"),
        ({"classes": 2.0}, r"classes=2\.0"),
        ({"classes": True}, "classes=True"),
    ],
)
def test_bad_options(options, match):
    with pytest.raises(InputError, match=f"ProbCover: {match}"):
        ProbCover(**options)
