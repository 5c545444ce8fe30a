"""The BLAS limit holds inside, is lifted in a pause, and is gone afterwards."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from credo.numerics import threads
from credo.numerics.threads import OneBlasThread, _controller, on_all_cores


def blas_threads():
    np.linalg.inv(np.eye(2))
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.fixture
def two_threads():
    with _controller().limit(limits=2, user_api="blas"):
        yield


def test_one_inside_two_outside_and_in_a_pause(two_threads):
    outside = blas_threads()
    assert outside
    assert set(outside) == {2}
    with OneBlasThread() as limit:
        assert set(blas_threads()) == {1}
        with limit.paused():
            assert blas_threads() == outside
        assert set(blas_threads()) == {1}
    assert blas_threads() == outside


def test_overlapping_contexts_restore_when_the_last_one_leaves(two_threads):
    outside = blas_threads()
    first, second = OneBlasThread(), OneBlasThread()
    first.__enter__()
    second.__enter__()
    first.__exit__()
    assert set(blas_threads()) == {1}
    second.__exit__()
    assert blas_threads() == outside


def fail_inside():
    with OneBlasThread() as limit, limit.paused():
        raise ZeroDivisionError


def test_an_error_restores_the_threads_too(two_threads):
    with pytest.raises(ZeroDivisionError):
        fail_inside()
    assert set(blas_threads()) == {2}


@pytest.mark.parametrize("cores", [1, 3])
def test_work_on_all_cores_keeps_its_order_and_raises(monkeypatch, cores):
    monkeypatch.setattr(threads, "available_cores", lambda: cores)
    assert on_all_cores(lambda k: k * k, list(range(20))) == [k * k for k in range(20)]
    assert on_all_cores(lambda _: set(blas_threads()), [0, 1]) == [{1}, {1}]
    with pytest.raises(ZeroDivisionError):
        on_all_cores(lambda k: 1 // k, [1, 0])
