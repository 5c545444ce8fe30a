"""Covariance functions and their algebra, kernel expectations, spectral densities. They see arrays only."""

from credo.kernels.algebra import Exp, On, PolynomialOf, Product, Sum, Warp
from credo.kernels.base import Kernel
from credo.kernels.changepoint import ChangePoint
from credo.kernels.constant import Constant, White
from credo.kernels.discrete import Hamming
from credo.kernels.dot import Linear, Polynomial
from credo.kernels.expectations import Expectation, kernel_double_mean, kernel_mean
from credo.kernels.fourier import FourierFeatures, fourier_features
from credo.kernels.frequencies import sample_frequencies
from credo.kernels.graph import Diffusion
from credo.kernels.measures import Measure
from credo.kernels.network import ArcCosine
from credo.kernels.noisy import Expected
from credo.kernels.outputs import Coregionalization
from credo.kernels.path import Brownian
from credo.kernels.periodic import Cosine, Periodic, SpectralMixture
from credo.kernels.roles import Role
from credo.kernels.sigmoid import Sigmoid
from credo.kernels.spectral import spectral_density
from credo.kernels.stationary import RBF, Matern12, Matern32, Matern52, RationalQuadratic, Stationary
from credo.kernels.strings import Spectrum

__all__ = [
    "RBF",
    "ArcCosine",
    "Brownian",
    "ChangePoint",
    "Constant",
    "Coregionalization",
    "Cosine",
    "Diffusion",
    "Exp",
    "Expectation",
    "Expected",
    "FourierFeatures",
    "Hamming",
    "Kernel",
    "Linear",
    "Matern12",
    "Matern32",
    "Matern52",
    "Measure",
    "On",
    "Periodic",
    "Polynomial",
    "PolynomialOf",
    "Product",
    "RationalQuadratic",
    "Role",
    "Sigmoid",
    "SpectralMixture",
    "Spectrum",
    "Stationary",
    "Sum",
    "Warp",
    "White",
    "fourier_features",
    "kernel_double_mean",
    "kernel_mean",
    "sample_frequencies",
    "spectral_density",
]
