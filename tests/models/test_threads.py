"""Concurrent fits and predictions end, with the numbers of sequential ones, for every estimator of the registry."""

import threading

import numpy as np
import pytest

from contract import answers, every, labels
from credo.models import Estimator

ROWS = 60  # a search from several starts is then one batch of factorizations that XLA would split
PATIENCE = 200.0  # seconds, below the time limit of a test


def fit(cls, X, y):
    settings = {"random_state": 0} if "random_state" in cls().get_params() else {}
    return answers(cls(**settings).fit(X, labels(cls, y)), X)


@pytest.mark.filterwarnings("ignore:.*separated by a plane.*:credo.errors.ConvergenceWarning")
@every(Estimator)
def test_concurrent_fits_equal_sequential_ones(cls):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(ROWS, 3))
    tables = [(X, X @ [1.0, -2.0, 0.5] + rng.normal(size=ROWS)) for _ in range(3)]
    results = [None] * len(tables)

    def work(i):
        results[i] = fit(cls, *tables[i])

    threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(len(tables))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE / len(threads))
    assert not any(thread.is_alive() for thread in threads), "concurrent fits wait for each other"
    for table, result in zip(tables, results, strict=True):
        np.testing.assert_array_equal(result, fit(cls, *table))
