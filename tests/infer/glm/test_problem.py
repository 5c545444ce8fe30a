"""What a problem says of its penalties, and of some of its rows."""

import numpy as np

from credo.infer.glm import FAMILIES, LINKS, GLMProblem, LinearDesign

X = np.arange(12.0).reshape(4, 3)
PROBLEM = GLMProblem(
    LinearDesign(X, True, np.array([0.1, 0.2, 0.3, 0.4])),
    np.array([0.0, 1.0, 2.0, 3.0]),
    np.array([1.0, 2.0, 1.0, 2.0]),
    FAMILIES["poisson"],
    LINKS["log"],
    ridge=2.0,
)


def test_slopes_are_penalized_and_the_intercept_is_not():
    assert PROBLEM.penalties.tolist() == [0.0, 2.0, 2.0, 2.0]
    assert PROBLEM._replace(ridge=np.array([1.0, 2.0, 3.0])).penalties.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_some_rows_keep_what_belongs_to_them():
    for chosen in (slice(1, 3), np.array([1, 2])):
        part = PROBLEM.of(chosen)
        assert part.design.X.tolist() == X[1:3].tolist()
        assert (part.design.offset.tolist(), part.y.tolist(), part.weights.tolist()) == ([0.2, 0.3], [1, 2], [2, 1])
        assert part.penalties.tolist() == PROBLEM.penalties.tolist()
