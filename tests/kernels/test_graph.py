"""Diffusion on a graph against the matrix exponential, and what is refused as a graph or as a node."""

import equinox as eqx
import networkx as nx
import numpy as np
import pytest
from scipy.linalg import expm
from scipy.sparse import csr_array

from credo.errors import InputError
from credo.kernels import RBF, Diffusion, On

GRAPH = nx.karate_club_graph()
LAPLACIAN = nx.laplacian_matrix(GRAPH).toarray().astype(float)
SIZE = len(LAPLACIAN)
NODES = np.arange(SIZE)[:, None]


@pytest.mark.parametrize("laplacian", [LAPLACIAN, nx.normalized_laplacian_matrix(GRAPH), csr_array(LAPLACIAN)])
def test_is_the_matrix_exponential_with_mean_variance_as_given(laplacian):
    heat = expm(-0.3 * (laplacian if isinstance(laplacian, np.ndarray) else laplacian.toarray()))
    found = np.asarray(Diffusion(laplacian, 0.8, 0.3)(NODES))
    np.testing.assert_allclose(found, 0.8 * heat / np.mean(np.diagonal(heat)), atol=1e-13)
    np.testing.assert_allclose(np.mean(np.diagonal(found)), 0.8, rtol=1e-12)


def test_a_long_time_makes_all_nodes_one():
    found = Diffusion(LAPLACIAN, time=1e4)(NODES)
    np.testing.assert_allclose(found, 1.0, rtol=1e-9)


@pytest.mark.parametrize(
    ("laplacian", "said"),
    [
        (nx.to_numpy_array(GRAPH), "eigenvalue -"),
        (np.triu(LAPLACIAN), "not symmetric"),
        (LAPLACIAN[:3], "shape"),
        (np.full((2, 2), np.nan), "not finite"),
        (np.zeros((0, 0)), "shape"),
    ],
)
def test_what_is_no_laplacian_is_refused(laplacian, said):
    with pytest.raises(InputError, match=said):
        Diffusion(laplacian)


@pytest.mark.parametrize("index", [-1, SIZE, 0.5, np.nan])
def test_what_is_no_node_is_refused_on_the_host_and_is_nan_under_jit(index):
    kernel = Diffusion(LAPLACIAN)
    for refusing, points in ((kernel, [[index]]), (On(kernel, [1]) + On(RBF(), [0]), [[0.0, index]])):
        with pytest.raises(InputError, match="is no node of a graph of 34"):
            refusing(points)
    under_jit = eqx.filter_jit(lambda points: kernel.cross(points, points))(np.array([[index], [3.0]]))
    np.testing.assert_array_equal(np.isnan(under_jit), [[True, True], [True, False]])


def test_is_decomposed_outside_jit_once():
    with pytest.raises(InputError, match="outside jit"):
        eqx.filter_jit(lambda laplacian: Diffusion(laplacian)(NODES))(LAPLACIAN)
    kernel = Diffusion(LAPLACIAN)
    assert Diffusion(kernel.laplacian).laplacian is kernel.laplacian
    assert repr(kernel) == "Diffusion(<34 nodes>, variance=1, time=1)"
