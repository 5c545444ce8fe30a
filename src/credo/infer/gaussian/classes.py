"""Gaussian processes behind class labels: evidence, choice of parameters, probabilities."""

from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.infer.binary_likelihoods import BinaryLikelihood, LogitLikelihood, ProbitLikelihood
from credo.infer.ep import ep_probit
from credo.infer.gaussian.selection import starts_around
from credo.infer.laplace import laplace_binary
from credo.infer.laplace_softmax import laplace_softmax
from credo.infer.latent import LatentApproximation
from credo.infer.softmax_latent import SoftmaxApproximation, softmax_probability
from credo.kernels import Kernel
from credo.numerics.certificate import Certificate, Solution, certify
from credo.numerics.minimize import minimize
from credo.numerics.parameters import flatten, log_prior
from credo.numerics.progress import Tracker
from credo.numerics.random import as_key
from credo.numerics.rows import map_rows

__all__ = ["Approximation", "ClassPosterior", "ClassProbabilities", "Labels", "learn_classes"]

#: How the posterior of the latent function is made Gaussian.
Approximation = Literal["laplace", "ep"]

_TOLERANCE = 1e-4
_GAIN = 1e-4  # nats in two iterations
_DRAWS = 2000
_NOTES = {
    "laplace": "Laplace's method: the posterior of the latent function is a Gaussian at its mode",
    "ep": "expectation propagation: the posterior of the latent function is a Gaussian with matched moments",
}


class Labels(NamedTuple):
    """Padded rows, the class of each as a number, and how often it was seen."""

    X: Float[Array, "n d"]
    codes: Float[Array, " n"]
    weights: Float[Array, " n"]


class _Task(NamedTuple):
    kernel: Kernel
    rows: Labels
    approximation: str
    n_classes: int
    with_prior: bool


class ClassProbabilities(NamedTuple):
    """Probabilities (m, k), their variance over the belief about the function, and their Monte Carlo standard error."""

    mean: Float[Array, "m k"]
    variance: Float[Array, "m k"]
    error: Float[Array, "m k"]


class ClassPosterior(eqx.Module):
    """The belief about the latent function (two classes) or functions (more), at the rows learnt from.

    Arrays keep their padding: rows of weight zero, which are inert.
    """

    kernel: Kernel
    X: Float[Array, "n d"]
    latent: LatentApproximation | SoftmaxApproximation
    likelihood: BinaryLikelihood

    @property
    def log_evidence(self) -> Array:
        """That of the approximation."""
        return self.latent.log_evidence

    def probabilities(self, X: Any) -> ClassProbabilities:
        """Of each class at each row: by Gauss–Hermite for two classes (probit in closed form), by draws for more."""
        return _probabilities(self, jnp.asarray(X, dtype=jnp.float64))


def _approximated(kernel: Kernel, rows: Labels, approximation: str, n_classes: int) -> Any:
    covariance = kernel.gram(rows.X)
    if n_classes > 2:
        return laplace_softmax(covariance, rows.codes, n_classes, weights=rows.weights)
    engine = ep_probit if approximation == "ep" else laplace_binary
    return engine(covariance, rows.codes, weights=rows.weights)


def _loss(free: Array, task: _Task, _: Any) -> Array:
    flat = flatten(task.kernel)
    kernel = flat.rebuild(free)
    value = _approximated(kernel, task.rows, task.approximation, task.n_classes).log_evidence
    return -(value + log_prior(kernel) + flat.log_jacobian(free) if task.with_prior else value)


@eqx.filter_jit
def _posterior(kernel: Kernel, rows: Labels, approximation: str, n_classes: int) -> ClassPosterior:
    likelihood = ProbitLikelihood() if approximation == "ep" else LogitLikelihood()
    return ClassPosterior(kernel, rows.X, _approximated(kernel, rows, approximation, n_classes), likelihood)


def learn_classes(
    kernel: Kernel,
    rows: Labels,
    n_classes: int,
    *,
    approximation: Approximation = "laplace",
    inference: Literal["map", "ml"] | None = "map",
    n_restarts: int = 0,
    rng: np.random.Generator,
    progress: Tracker | None = None,
    who: str = "learn_classes",
) -> Solution[ClassPosterior]:
    """The posterior of the function behind class labels, at parameters that maximize the evidence of the approximation.

    O(n³) for each Newton step or sweep of each evaluation; some 20 evaluations a start.
    """
    start, search = np.asarray(flatten(kernel).vector), None
    if inference is not None and len(start):
        starts = starts_around(start, n_restarts, rng)
        task = _Task(kernel, rows, approximation, n_classes, inference == "map")
        found = minimize(_loss, starts, shared=task, tolerance=_TOLERANCE, gain=_GAIN, progress=progress, who=who)
        kernel, search = flatten(kernel).rebuild(jnp.asarray(found.value.x)), found.certificate
    posterior = _posterior(kernel, rows, approximation, n_classes)
    return Solution(posterior, _certificate(posterior, search, approximation, n_classes, who))


def _certificate(
    posterior: ClassPosterior, search: Certificate | None, approximation: str, n_classes: int, who: str
) -> Certificate:
    certificate = certify(posterior.latent.info, "heuristic", who, notes=(_NOTES[approximation],))
    if n_classes > 2:
        certificate = certificate.noting(f"probabilities average over {_DRAWS} draws; their error is in the budget")
    if search is None:
        return certificate
    note = f"the parameters are a local optimum of the evidence ({search.status}); their uncertainty is not counted"
    return certificate.noting(note)


@eqx.filter_jit
def _probabilities(posterior: ClassPosterior, X: Array) -> ClassProbabilities:
    def block(x: Array) -> ClassProbabilities:
        cross, prior = posterior.kernel.cross(x, posterior.X), posterior.kernel.diagonal(x)
        moments = posterior.latent.predict(cross, prior)
        if isinstance(posterior.latent, SoftmaxApproximation):
            # The same draws at every call: a prediction does not change when it is asked for again.
            of_class = softmax_probability(*moments, draws=_DRAWS, random_state=as_key(0))
            return ClassProbabilities(of_class.mean, of_class.variance, of_class.standard_error)
        one = posterior.likelihood.probability(*moments)
        mean = jnp.stack([1.0 - one.mean, one.mean], axis=1)
        variance = jnp.stack([one.variance, one.variance], axis=1)
        return ClassProbabilities(mean, variance, jnp.zeros_like(mean))

    classes = 1 if isinstance(posterior.latent, LatentApproximation) else posterior.latent.mean.shape[-1]
    return map_rows(block, X, cost=posterior.X.shape[0] * classes)
