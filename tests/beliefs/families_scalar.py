"""The registry of families of numbers: members of moderate parameters, and what scipy.stats calls them."""

import numpy as np
import scipy.stats
from families import Case
from hypothesis import strategies as st

from credo.beliefs import (
    Bernoulli,
    Beta,
    Binomial,
    Exponential,
    Gamma,
    InverseGamma,
    InverseGaussian,
    Laplace,
    LogNormal,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    TruncatedNormal,
    Uniform,
)
from credo.numerics.constraints import Fixed

reals = st.floats(-3.0, 3.0)
positives = st.floats(0.3, 5.0)
shapes = st.floats(0.5, 20.0)
probabilities = st.floats(0.05, 0.95)


def _truncated(loc, scale, start, width):
    return TruncatedNormal(loc, scale, loc + scale * start, loc + scale * (start + width))


def _truncated_twin(b):
    loc, scale = np.asarray(b.loc), np.asarray(b.scale)
    low, high = (np.asarray(b.low) - loc) / scale, (np.asarray(b.high) - loc) / scale
    twin = scipy.stats.truncnorm(low, high, loc, scale)
    # In its upper tail scipy's quantile is right to 1e-8 only, says mpmath; that of the mirror image is right there.
    mirrored, ppf = scipy.stats.truncnorm(-high, -low, -loc, scale), twin.ppf
    twin.ppf = lambda p: np.where(p > 0.5, -mirrored.ppf(1.0 - p), ppf(p))
    return twin


SCALAR = [
    Case(Normal, st.builds(Normal, reals, positives), lambda b: scipy.stats.norm(b.loc, b.scale)),
    Case(
        StudentT,
        st.builds(StudentT, st.floats(0.7, 30.0), reals, positives),
        lambda b: scipy.stats.t(b.df, b.loc, b.scale),
        regular=False,
    ),
    Case(
        LogNormal,
        st.builds(LogNormal, st.floats(-1.0, 1.0), st.floats(0.2, 1.0)),
        lambda b: scipy.stats.lognorm(b.scale, scale=np.exp(b.loc)),
    ),
    Case(
        InverseGaussian,
        st.builds(InverseGaussian, positives, positives),
        lambda b: scipy.stats.invgauss(b.loc / b.shape, scale=b.shape),
    ),
    Case(
        TruncatedNormal,
        st.builds(_truncated, reals, positives, st.floats(-3.0, 3.0), st.floats(0.5, 6.0) | st.just(np.inf)),
        _truncated_twin,
        regular=False,
    ),
    Case(Laplace, st.builds(Laplace, reals, positives), lambda b: scipy.stats.laplace(b.loc, b.scale), regular=False),
    Case(
        Uniform,
        st.builds(lambda low, width: Uniform(low, low + width), reals, positives),
        lambda b: scipy.stats.uniform(b.low, b.high - b.low),
        regular=False,
    ),
    Case(Gamma, st.builds(Gamma, shapes, positives), lambda b: scipy.stats.gamma(b.shape, scale=1.0 / b.rate)),
    Case(
        InverseGamma,
        st.builds(InverseGamma, st.floats(0.7, 20.0), positives),
        lambda b: scipy.stats.invgamma(b.shape, scale=b.scale),
    ),
    Case(Exponential, st.builds(Exponential, positives), lambda b: scipy.stats.expon(scale=1.0 / b.rate)),
    # With b below one the density is infinite at one, where numbers are too coarse to resolve it.
    Case(Beta, st.builds(Beta, shapes, st.floats(1.0, 20.0)), lambda b: scipy.stats.beta(b.a, b.b)),
    Case(Bernoulli, st.builds(Bernoulli, probabilities), lambda b: scipy.stats.bernoulli(b.probability)),
    Case(
        Binomial,
        st.builds(Binomial, st.integers(1, 40), probabilities),
        lambda b: scipy.stats.binom(b.trials, b.probability),
    ),
    Case(Poisson, st.builds(Poisson, st.floats(0.3, 40.0)), lambda b: scipy.stats.poisson(b.rate)),
    Case(
        NegativeBinomial,
        # The number of successes is no natural parameter, and held as trials are.
        st.builds(lambda r, p: NegativeBinomial(Fixed(r), p), st.floats(0.5, 10.0), st.floats(0.2, 0.95)),
        lambda b: scipy.stats.nbinom(b.successes, b.probability),
    ),
]
