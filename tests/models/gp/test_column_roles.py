"""Processes on strings, graphs, categories and uncertain inputs: scaling follows from what the kernel reads."""

from collections import Counter

import numpy as np
import pytest

from credo.errors import InputError
from credo.kernels import RBF, Constant, Coregionalization, Diffusion, Expected, Hamming, Linear, Matern52, On, Spectrum
from credo.models import SVC, SVR, GPClassifier, GPRegressor, KernelRidge, MultiOutputGPRegressor
from credo.models.gp.scaling import Standardization
from credo.numerics import Fixed
from credo.represent import StringEncoder

RNG = np.random.default_rng(0)
WORDS = ["".join(RNG.choice(list("ACGT"), size=RNG.integers(6, 14))) for _ in range(60)]
CODES = StringEncoder().fit_transform(WORDS)
PIECES = sorted({word[i : i + 2] for word in WORDS for i in range(len(word) - 1)})
COUNTS = np.array([[Counter(word[i : i + 2] for i in range(len(word) - 1))[u] for u in PIECES] for word in WORDS])
Y = COUNTS @ RNG.normal(size=len(PIECES))
RING = 2.0 * np.eye(12) - np.roll(np.eye(12), 1, axis=0) - np.roll(np.eye(12), -1, axis=0)
NODES = np.arange(12.0)[:, None]
HEAT = np.cos(2.0 * np.pi * np.arange(12) / 12.0)


def test_strings_are_a_linear_model_of_their_pieces():
    """Written another way: the spectrum kernel is the inner product of counts, so ridge regression on them agrees."""
    gp = GPRegressor(kernel=Spectrum(2, 0.1, normalize=False), noise_variance=0.01, inference=None)
    gp.fit(CODES[:45], Y[:45])
    mean, scale = np.mean(Y[:45]), np.std(Y[:45])
    weights = np.linalg.solve(0.1 * COUNTS[:45] @ COUNTS[:45].T + 0.01 * np.eye(45), (Y[:45] - mean) / scale)
    expected = mean + scale * 0.1 * COUNTS[45:] @ COUNTS[:45].T @ weights
    np.testing.assert_allclose(gp.predict(CODES[45:]), expected, rtol=1e-8)
    assert gp.score(CODES[45:], Y[45:]) > 0.95


def test_classes_of_strings_and_of_nodes():
    """The defaults learn what a rule says; standardized codes gave a third of it."""
    labels = np.where(COUNTS[:, PIECES.index("AC")] > 0, "with", "without")
    gp = GPClassifier(kernel=Spectrum(2, 10.0), inference=None).fit(CODES, labels)
    assert gp.score(CODES, labels) == 1.0
    as_they_are = GPClassifier(kernel=Spectrum(2, 10.0), inference=None, standardize=False).fit(CODES, labels)
    np.testing.assert_allclose(gp.predict_proba(CODES), as_they_are.predict_proba(CODES), rtol=1e-12)
    side = np.where(HEAT > 0, "warm", "cold")
    nodes = GPClassifier(kernel=Diffusion(RING, 10.0), inference=None).fit(NODES, side)
    assert nodes.score(NODES, side) == 1.0
    for wrong in ([[12.0]], [[0.5]]):
        with pytest.raises(InputError, match=r"GPClassifier: (12|0\.5) is no node of a graph of 12"):
            nodes.predict(wrong)


def test_nodes_of_a_graph():
    """The textbook formula, with the covariance of the matrix exponential."""
    from scipy.linalg import expm

    rows = np.array([0, 2, 3, 5, 8, 9])
    gp = GPRegressor(kernel=Diffusion(RING), noise_variance=0.01, inference=None).fit(NODES[rows], HEAT[rows])
    K = expm(-RING) / np.mean(np.diag(expm(-RING)))
    mean, scale = np.mean(HEAT[rows]), np.std(HEAT[rows])
    weights = np.linalg.solve(K[np.ix_(rows, rows)] + 0.01 * np.eye(6), (HEAT[rows] - mean) / scale)
    np.testing.assert_allclose(gp.predict(NODES), mean + scale * K[:, rows] @ weights, rtol=1e-9)
    several = MultiOutputGPRegressor(kernel=Diffusion(RING), inference=None).fit(NODES, np.stack([HEAT, -HEAT], axis=1))
    with pytest.raises(InputError, match="MultiOutputGPRegressor: 12 is no node of a graph of 12"):
        several.predict([[12.0]])


def test_numbers_beside_codes_are_standardized_and_codes_are_not():
    x, category = 1e3 + 50.0 * RNG.normal(size=40), RNG.integers(3, 6, size=40)
    X, y = np.column_stack([x, category]), 0.02 * x + category
    kernel = On(RBF(lengthscale=0.8), [0]) * On(Hamming(), [1])
    gp = GPRegressor(kernel=kernel, inference=None).fit(X, y)
    np.testing.assert_allclose(np.asarray(gp.scaling_.scale), [np.std(x), 1.0])
    np.testing.assert_allclose(np.asarray(gp.scaling_.shift), [np.mean(x), 0.0])
    by_hand = On(RBF(lengthscale=0.8 * np.std(x)), [0]) * On(Hamming(), [1])
    other = GPRegressor(kernel=by_hand, inference=None, standardize=False).fit(X, (y - y.mean()) / y.std())
    np.testing.assert_allclose(gp.predict(X), y.mean() + y.std() * other.predict(X), rtol=1e-9)
    with pytest.raises(InputError, match=r"GPRegressor: 3\.5 is not the code of a category"):
        gp.predict([[1e3, 3.5]])


def test_numbers_of_outputs_beside_inputs():
    """Outputs measured at different rows, in one process with the default units: that of rows standardized by hand."""
    x, output = 20.0 + 5.0 * RNG.normal(size=30), np.arange(30.0) % 2
    y = np.sin(x / 5.0) * (1.0 - 2.0 * output)
    kernel = On(RBF(), [0]) * On(Coregionalization([[1.0], [-0.9]], [0.1, 0.1]), [-1])
    gp = GPRegressor(kernel=kernel, inference=None).fit(np.column_stack([x, output]), y)
    rows = np.column_stack([(x - x.mean()) / x.std(), output])
    other = GPRegressor(kernel=kernel, inference=None, standardize=False).fit(rows, (y - y.mean()) / y.std())
    expected = y.mean() + y.std() * other.predict(rows)
    np.testing.assert_allclose(gp.predict(np.column_stack([x, output])), expected, rtol=1e-9, atol=1e-12)
    with pytest.raises(InputError, match="GPRegressor: 2 is no output of 2"):
        gp.predict([[20.0, 2.0]])


def test_variances_have_the_squared_unit_of_their_column():
    """Degrees and kelvins, meters and millimeters: the same rows with the same input noise."""
    means, variances = RNG.normal(size=(30, 2)), RNG.uniform(0.0, 0.5, size=(30, 2))
    y = np.sin(means[:, 0]) + means[:, 1]
    kernel = Expected(RBF(lengthscale=[0.7, 1.5]))
    gp = GPRegressor(kernel=kernel, inference=None).fit(np.hstack([means, variances]), y)
    unit, origin = np.array([1e3, 1e-2]), np.array([-273.15, 4.0])
    moved = np.hstack([origin + unit * means, unit**2 * variances])
    again = GPRegressor(kernel=kernel, inference=None).fit(moved, y)
    np.testing.assert_allclose(again.predict(moved), gp.predict(np.hstack([means, variances])), rtol=1e-8)
    np.testing.assert_allclose(
        again.predict_dist(moved).std, gp.predict_dist(np.hstack([means, variances])).std, rtol=1e-7
    )
    scaling = Standardization.of(moved, y, np.ones(30), kernel.column_roles(4, "k"))
    np.testing.assert_allclose(scaling.inputs(moved)[:, 2:], moved[:, 2:] / np.var(moved[:, :2], axis=0), rtol=1e-12)


def test_other_machines_refuse_what_is_not_a_code():
    for machine in (KernelRidge, SVR):
        model = machine(kernel=Diffusion(RING)).fit(NODES, HEAT)
        for wrong in ([[12.0]], [[0.5]]):
            with pytest.raises(InputError, match=r"(12|0\.5) is no node of a graph of 12"):
                model.predict(wrong)
        with pytest.raises(InputError, match=rf"{machine.__name__}: 0\.5 is no node"):
            machine(kernel=Diffusion(RING)).fit(NODES + 0.5, HEAT)
        with pytest.raises(InputError, match=rf"{machine.__name__}: the kernel reads column 0 both as a number and"):
            machine(kernel=RBF() + Hamming()).fit(NODES, HEAT)
    with pytest.raises(InputError, match=r"SVC: .* is not the code of a letter"):
        SVC(kernel=Spectrum(2)).fit(CODES - 0.5, Y > 0)


def test_options_that_read_codes_as_numbers_are_refused():
    for given in ({"mean": "linear"}, {"noise_variance": "varying"}):
        with pytest.raises(InputError, match=r"GPRegressor: .* reads every column as a number, but the kernel reads"):
            GPRegressor(kernel=Hamming(), inference=None, **given).fit(NODES, HEAT)
    X = np.column_stack([HEAT, NODES])
    kernel = On(Linear(), [0]) + On(Hamming(Fixed(1.0)), [1]) + Constant()
    GPRegressor(kernel=kernel, inference=None).fit(X, HEAT)
    with pytest.raises(InputError, match="GPRegressor: the kernel reads column 1 both as a number and as a code"):
        GPRegressor(kernel=Matern52() * On(Hamming(), [1]), inference=None).fit(X, HEAT)
