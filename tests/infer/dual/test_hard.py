import numpy as np
import pytest

from credo.errors import InputError
from credo.infer.dual import Limits, kernel_machine, solve_hard_margin
from credo.kernels import RBF, Linear

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_two_points_are_split_in_the_middle(scale):
    X = scale * np.array([[1.0, 2.0], [4.0, 6.0]])
    machine = kernel_machine(Linear(), X, solve_hard_margin(Linear(), X, np.array([-1.0, 1.0])))
    np.testing.assert_allclose(machine.coef, 2.0 * np.array([3.0, 4.0]) / 25.0 / scale, rtol=1e-5)
    assert machine.margin == pytest.approx(2.5 * scale, rel=1e-5)
    np.testing.assert_allclose(machine.decision(X), [-1.0, 1.0], atol=1e-5)


def test_no_row_is_inside_and_no_margin_is_wider():
    """Against the widest margin among all directions of the plane."""
    X = RNG.normal(size=(40, 2))
    sign = np.where(X @ [1.0, 2.0] > 0.3, 1.0, -1.0)
    X += 0.2 * sign[:, None] * np.array([1.0, 2.0])
    machine = kernel_machine(Linear(), X, solve_hard_margin(Linear(), X, sign, Limits(1e-9)))
    assert np.min(sign * machine.decision(X)) > 1.0 - 1e-5
    turns = np.linspace(0.0, 2.0 * np.pi, 200_001)
    along = np.column_stack([np.cos(turns), np.sin(turns)]) @ X.T
    widths = np.min(along[:, sign > 0], axis=1) - np.max(along[:, sign < 0], axis=1)
    assert machine.margin == pytest.approx(0.5 * np.max(widths), rel=1e-5)


def test_planes_that_do_not_separate_are_refused():
    X = np.array([[0.0], [1.0], [2.0]])
    with pytest.raises(InputError, match="SVC: no plane separates the classes of 3 rows"):
        solve_hard_margin(Linear(), X, np.array([1.0, -1.0, 1.0]), Limits(who="SVC"))
    found = solve_hard_margin(RBF(), X, np.array([1.0, -1.0, 1.0]))
    assert np.min(np.array([1.0, -1.0, 1.0]) * kernel_machine(RBF(), X, found).decision(X)) > 1.0 - 1e-3


def test_equal_rows_of_two_classes_are_refused():
    with pytest.raises(InputError, match="equal rows have different classes"):
        solve_hard_margin(RBF(), np.array([[0.0], [0.0], [1.0]]), np.array([1.0, -1.0, 1.0]))
