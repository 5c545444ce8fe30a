"""Whether probabilities are what they say, for tests of classifiers."""

import numpy as np


def assert_calibrated(labels: np.ndarray, p: np.ndarray) -> None:
    """Of rows whose class has probability p, a share p is of it: within four standard errors in each tenth."""
    for low in np.arange(0.0, 1.0, 0.1):
        there = (p >= low) & (p < low + 0.1)
        if np.sum(there) < 50:
            continue
        error = np.sqrt(np.sum(p[there] * (1.0 - p[there]))) / np.sum(there)
        assert abs(np.mean(labels[there]) - np.mean(p[there])) < 4.0 * error + 0.01
