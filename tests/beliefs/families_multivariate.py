"""The registry of families of vectors, matrices and classes, with strategies of fixed shapes: each compiles once."""

import equinox as eqx
import numpy as np
import scipy.stats
from families import Case
from hypothesis import strategies as st

from credo.beliefs import (
    BetaBinomial,
    Categorical,
    Dirichlet,
    Empirical,
    Gibbs,
    InverseWishart,
    Mixture,
    Multinomial,
    MultivariateNormal,
    MultivariateStudentT,
    Normal,
    NormalInverseGamma,
    NormalInverseWishart,
    Wishart,
)

reals = st.floats(-3.0, 3.0)
positives = st.floats(0.3, 5.0)


def assert_rows_are_beliefs(rows, x):
    """`log_prob` of a batch under jit, vmapped over its rows under jit, and of one row alone are the same numbers."""
    together = eqx.filter_jit(lambda b, x: b.log_prob(x))(rows, x)
    one_by_one = eqx.filter_jit(eqx.filter_vmap(lambda b, x: b.log_prob(x)))(rows, x)
    assert together.shape == rows.batch_shape
    np.testing.assert_allclose(one_by_one, together, rtol=1e-10)
    np.testing.assert_allclose(rows[1].log_prob(x[1]), together[1], rtol=1e-10)


def vectors(n, entries=reals):
    return st.lists(entries, min_size=n, max_size=n).map(np.array)


def spd_matrices(d):
    """L Lᵀ with a unit-scale lower triangle: condition numbers up to some hundreds."""

    def build(diagonal, below):
        lower = np.diag(diagonal)
        lower[np.tril_indices(d, -1)] = below
        return lower @ lower.T

    return st.builds(build, vectors(d, st.floats(0.5, 2.0)), vectors(d * (d - 1) // 2, st.floats(-1.0, 1.0)))


def simplexes(k):
    return vectors(k, st.floats(0.1, 1.0)).map(lambda w: w / w.sum())


normals = st.builds(MultivariateNormal, vectors(3), spd_matrices(3))
students = st.builds(MultivariateStudentT, st.floats(5.0, 30.0), vectors(2), spd_matrices(2))
dirichlets = st.builds(Dirichlet, vectors(3, st.floats(0.5, 8.0)))
categoricals = st.builds(Categorical, simplexes(3))
multinomials = st.builds(Multinomial, st.integers(1, 12), simplexes(3))
wisharts = st.builds(Wishart, st.floats(2.5, 12.0), spd_matrices(2))
inverse_wisharts = st.builds(InverseWishart, st.floats(10.5, 20.0), spd_matrices(2))
normal_inverse_gammas = st.builds(NormalInverseGamma, reals, positives, st.floats(4.5, 12.0), positives)
normal_inverse_wisharts = st.builds(NormalInverseWishart, vectors(2), positives, st.floats(10.5, 20.0), spd_matrices(2))
mixtures = st.builds(lambda w, m, s: Mixture(w, Normal(m, s)), simplexes(3), vectors(3), vectors(3, positives))
empiricals = st.builds(Empirical, vectors(6), vectors(6, positives))
gibbses = st.builds(Gibbs, st.just(np.array([0.0, 0.7, 2.0, -1.0])), st.floats(-1.0, 3.0))
beta_binomials = st.builds(BetaBinomial, st.integers(1, 12), positives, positives)


def _student_twin(b):
    return scipy.stats.multivariate_t(np.asarray(b.loc), np.asarray(b.shape_matrix), df=float(b.df))


MULTIVARIATE = [
    Case(
        MultivariateNormal,
        normals,
        lambda b: scipy.stats.multivariate_normal(np.asarray(b.loc), np.asarray(b.covariance)),
    ),
    Case(MultivariateStudentT, students, _student_twin, regular=False),
    Case(Dirichlet, dirichlets, lambda b: scipy.stats.dirichlet(np.asarray(b.concentration))),
    Case(Categorical, categoricals),
    Case(
        Multinomial,
        multinomials,
        lambda b: scipy.stats.multinomial(int(b.trials), np.asarray(b.probabilities)),
    ),
    Case(Wishart, wisharts, lambda b: scipy.stats.wishart(float(b.df), np.asarray(b.scale))),
    Case(InverseWishart, inverse_wisharts, lambda b: scipy.stats.invwishart(float(b.df), np.asarray(b.scatter))),
    Case(NormalInverseGamma, normal_inverse_gammas),
    Case(NormalInverseWishart, normal_inverse_wisharts),
    Case(Mixture, mixtures, regular=False),
    Case(Empirical, empiricals, regular=False),
    Case(Gibbs, gibbses),
    Case(
        BetaBinomial,
        beta_binomials,
        lambda b: scipy.stats.betabinom(int(b.trials), float(b.a), float(b.b)),
        regular=False,
    ),
]
