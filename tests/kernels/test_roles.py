"""What columns are to kernels: each kind of kernel, sums, products and column selections, and disagreements."""

import jax.numpy as jnp
import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import (
    RBF,
    ChangePoint,
    Constant,
    Coregionalization,
    Diffusion,
    Expected,
    Hamming,
    Linear,
    Matern52,
    On,
    Spectrum,
    Warp,
    White,
)
from credo.kernels.roles import CODE, NUMBER, Role

EDGE = Diffusion([[1.0, -1.0], [-1.0, 1.0]])
OUTPUTS = Coregionalization([[1.0], [0.5]], [0.1, 0.1])


@pytest.mark.parametrize(
    ("kernel", "d", "roles"),
    [
        (Matern52() * Linear() + 1.0, 2, (NUMBER, NUMBER)),
        (Constant() + White(), 2, (None, None)),
        (Hamming() * White(), 2, (CODE, CODE)),
        (Spectrum(2).exp(), 3, (CODE, CODE, CODE)),
        (EDGE**2, 1, (CODE,)),
        (On(RBF(), [0]) * On(OUTPUTS, [-1]), 3, (NUMBER, None, CODE)),
        (On(On(Hamming(), [1]), [2, 0]), 3, (CODE, None, None)),
        (ChangePoint(On(Hamming(), [1]), Constant(), column=0), 2, (NUMBER, CODE)),
        (Warp(RBF(), jnp.tanh), 2, (NUMBER, NUMBER)),
        (Warp(Hamming(), jnp.round), 2, (CODE, CODE)),
        (Expected(RBF()), 2, (Role("uncertain", 1), Role("variance", 0))),
        (On(Expected(RBF()), [2, 0]), 3, (Role("variance", 2), None, Role("uncertain", 0))),
        (
            Expected(On(RBF(), [0]) * On(Hamming(), [1])),
            4,
            (Role("uncertain", 2), CODE, Role("variance", 0), Role("variance", 1)),
        ),
    ],
)
def test_roles_of(kernel, d, roles):
    assert kernel.column_roles(d, "k") == roles


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (RBF() + Hamming(), "column 0 both as a number and as a code"),
        (On(RBF(), [0, 1]) * On(EDGE, [1]), "column 1 both as a number and as a code"),
        (ChangePoint(Hamming(), Constant()), "column 0 both as a code and as a number"),
        (Expected(RBF()) + RBF(), "column 0 both as a number with a variance and as a number"),
        (
            On(Expected(RBF()), [0, 1]) + On(Expected(RBF()), [1, 0]),
            "column 0 both as a number with a variance and as the variance of column 1",
        ),
    ],
)
def test_parts_that_disagree_are_refused(kernel, words):
    with pytest.raises(InputError, match=rf"Hall: the kernel reads {words}.*Give each its own columns"):
        kernel.require_points(np.zeros((2, 2)), "Hall")


def test_a_column_given_twice_may_be_both():
    both = On(RBF(), [0]) + On(Hamming(), [1])
    levels = np.array([[0.0], [1.0], [2.0]])
    np.testing.assert_allclose(both(np.hstack([levels, levels])), RBF()(levels) + Hamming()(levels), rtol=1e-14)
