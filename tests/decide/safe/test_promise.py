"""The promised rate from the first query on, on the five problems of the benchmark, each begun at one point or two."""

import sys
from pathlib import Path

import pytest
from scipy import stats

ROOT = Path(__file__).resolve().parents[3]
PROBLEMS = ("smooth bump", "curved valley", "rough draw", "cliff", "noisy draw")
SEEDS, STEPS = 16, 15


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.decide import bench_safe

    yield bench_safe
    for name in [name for name in sys.modules if name.split(".")[0] == "benchmarks"]:
        del sys.modules[name]


@pytest.mark.slow
@pytest.mark.timeout(900)  # sixteen studies
@pytest.mark.parametrize("name", PROBLEMS)
def test_unsafe_queries_are_at_most_as_many_as_promised_from_the_first_on(bench, name):
    assert set(PROBLEMS) == set(bench.PROBLEMS)
    studies = [bench.from_the_start(name, seed, STEPS) for seed in range(SEEDS)]
    for first, last in ((0, 1), (1, 5), (0, STEPS)):
        unsafe = sum(int(unsafe[first:last].sum()) for unsafe, _ in studies)
        # As in a binomial tail of independent queries; they are not quite, so at a level of one in a thousand.
        assert stats.binom.sf(unsafe - 1, SEEDS * (last - first), 0.05) > 1e-3, (first, last, unsafe)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_studies_leave_their_start(bench):
    for seed in range(6):
        problem = bench.PROBLEMS["smooth bump"](seed)
        _, regret = bench.from_the_start("smooth bump", seed, STEPS)
        assert regret < 0.6 * problem.regret(problem.seeds[0])
