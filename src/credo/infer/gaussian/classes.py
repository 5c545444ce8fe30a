"""Gaussian processes behind class labels: evidence, choice of parameters, probabilities."""

from typing import Any, Literal, NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.infer.binary_likelihoods import BinaryLikelihood, LogitLikelihood, ProbabilityMoments, ProbitLikelihood
from credo.infer.ep import ep_probit
from credo.infer.ep_softmax import ep_softmax
from credo.infer.gaussian.selection import starts_around
from credo.infer.laplace import laplace_binary
from credo.infer.laplace_softmax import laplace_softmax
from credo.infer.latent import LatentApproximation
from credo.infer.softmax_latent import SoftmaxApproximation, softmax_probability
from credo.kernels import Kernel
from credo.numerics.certificate import FAILED, Certificate, Solution, certify
from credo.numerics.minimize import minimize
from credo.numerics.parameters import flatten, log_prior
from credo.numerics.progress import Tracker
from credo.numerics.random import as_key
from credo.numerics.rows import map_rows

__all__ = ["Approximation", "ClassPosterior", "ClassProbabilities", "Labels", "learn_classes"]

#: How the posterior of the latent function is made Gaussian.
Approximation = Literal["auto", "laplace", "ep"]

_TOLERANCE = 1e-4
_GAIN = 1e-4  # nats in two iterations
_DRAWS = 2000
_EP_TOLERANCE = 1e-6  # the error of the evidence is of the order of its square
_EP_LATENT_VALUES = 3000  # rows times classes, up to which "auto" is expectation propagation
_NOTES = {
    "laplace": "Laplace's method: the posterior of the latent function is a Gaussian at its mode",
    "ep": "expectation propagation: the posterior of the latent function is a Gaussian with matched moments",
}
_MEASURED = "one update of expectation propagation measures the error of the probabilities, which is in the budget"
_UNMEASURED = "the error of Laplace's method could not be measured and is not in the budget"
_FELL_BACK = "expectation propagation failed, so Laplace's method took its place"


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
    """Probabilities (m, k), their variance over the belief about the function, and the error of their computation.

    The error is the Monte Carlo standard error, and for Laplace's method also what one update of expectation
    propagation would change.
    """

    mean: Float[Array, "m k"]
    variance: Float[Array, "m k"]
    error: Float[Array, "m k"]


class ClassPosterior(eqx.Module):
    """The belief about the latent function (two classes) or functions (more), at the rows learned from.

    Arrays keep their padding: rows of weight zero, which are inert. `reference` is the belief after one update of
    expectation propagation, from which the error of Laplace's method is measured; None where there is no such error.
    """

    kernel: Kernel
    X: Float[Array, "n d"]
    latent: LatentApproximation | SoftmaxApproximation
    likelihood: BinaryLikelihood
    reference: SoftmaxApproximation | None = None

    @property
    def log_evidence(self) -> Array:
        """That of the approximation."""
        return self.latent.log_evidence

    def probabilities(self, X: Any) -> ClassProbabilities:
        """Of each class at each row: by Gauss–Hermite for two classes (probit in closed form), by draws for more."""
        return _probabilities(self, jnp.asarray(X, dtype=jnp.float64))


def _approximated(kernel: Kernel, rows: Labels, approximation: str, n_classes: int) -> Any:
    """The approximation whose evidence has derivatives: for more than two classes Laplace's."""
    covariance = kernel.gram(rows.X)
    if n_classes > 2:
        return laplace_softmax(covariance, rows.codes, n_classes, weights=rows.weights)
    if approximation == "ep":
        return ep_probit(covariance, rows.codes, weights=rows.weights, tolerance=_EP_TOLERANCE)
    return laplace_binary(covariance, rows.codes, weights=rows.weights)


def _loss(free: Array, task: _Task, _: Any) -> Array:
    flat = flatten(task.kernel)
    kernel = flat.rebuild(free)
    value = _approximated(kernel, task.rows, task.approximation, task.n_classes).log_evidence
    return -(value + log_prior(kernel) + flat.log_jacobian(free) if task.with_prior else value)


@eqx.filter_jit
def _posterior(kernel: Kernel, rows: Labels, approximation: str, n_classes: int) -> ClassPosterior:
    covariance = kernel.gram(rows.X)
    if approximation == "ep":
        if n_classes == 2:
            return ClassPosterior(kernel, rows.X, _approximated(kernel, rows, "ep", 2), ProbitLikelihood())
        latent = ep_softmax(covariance, rows.codes, n_classes, weights=rows.weights)
        return ClassPosterior(kernel, rows.X, latent, LogitLikelihood())
    # A softmax over two functions is a logit of their difference, whose variance is twice as large.
    each = covariance if n_classes > 2 else 0.5 * covariance
    reference = ep_softmax(each, rows.codes, n_classes, weights=rows.weights, max_iterations=1)
    latent = _approximated(kernel, rows, approximation, n_classes)
    return ClassPosterior(kernel, rows.X, latent, LogitLikelihood(), reference)


def _resolved(approximation: Approximation, rows: Labels, n_classes: int) -> Literal["laplace", "ep"]:
    if approximation != "auto":
        return approximation
    return "ep" if np.count_nonzero(np.asarray(rows.weights)) * n_classes <= _EP_LATENT_VALUES else "laplace"


def learn_classes(
    kernel: Kernel,
    rows: Labels,
    n_classes: int,
    *,
    approximation: Approximation = "auto",
    inference: Literal["map", "ml"] | None = "map",
    n_restarts: int = 0,
    rng: np.random.Generator,
    progress: Tracker | None = None,
    who: str = "learn_classes",
) -> Solution[ClassPosterior]:
    """The posterior of the function behind class labels, at parameters that maximize the evidence of the approximation.

    "ep" is a probit for two classes. For more it is a softmax, and the parameters maximize the evidence of Laplace's
    method. "laplace" is a logit or a softmax. "auto" is "ep" up to 3000 rows times classes, and "laplace" above. O(n³)
    for each Newton step or sweep of each evaluation, times the number of classes if there are more than two; some 20
    evaluations per start.
    """
    method = _resolved(approximation, rows, n_classes)
    start, search = np.asarray(flatten(kernel).vector), None
    if inference is not None and len(start):
        starts = starts_around(start, n_restarts, rng)
        task = _Task(kernel, rows, method, n_classes, inference == "map")
        found = minimize(_loss, starts, shared=task, tolerance=_TOLERANCE, gain=_GAIN, progress=progress, who=who)
        kernel, search = flatten(kernel).rebuild(jnp.asarray(found.value.x)), found.certificate
    posterior, notes = _posterior_or_laplace(kernel, rows, method, n_classes)
    return Solution(posterior, _certificate(posterior, notes, search, n_classes, who))


def _failed(approximation: LatentApproximation | SoftmaxApproximation) -> bool:
    return bool(approximation.info.status == FAILED)


def _posterior_or_laplace(
    kernel: Kernel, rows: Labels, method: str, n_classes: int
) -> tuple[ClassPosterior, tuple[str, ...]]:
    """The posterior of the method, or of Laplace's where that has none; and what the certificate says about it."""
    posterior = _posterior(kernel, rows, method, n_classes)
    if method == "ep":
        if not _failed(posterior.latent):
            return posterior, (_NOTES["ep"],)
        posterior, notes = _posterior_or_laplace(kernel, rows, "laplace", n_classes)
        return posterior, (_FELL_BACK, *notes)
    if posterior.reference is None or not _failed(posterior.reference):
        return posterior, (_NOTES["laplace"], _MEASURED)
    alone = ClassPosterior(kernel, rows.X, posterior.latent, posterior.likelihood)
    return alone, (_NOTES["laplace"], _UNMEASURED)


def _certificate(
    posterior: ClassPosterior, notes: tuple[str, ...], search: Certificate | None, n_classes: int, who: str
) -> Certificate:
    certificate = certify(posterior.latent.info, "heuristic", who, notes=notes)
    if n_classes > 2:
        certificate = certificate.noting(f"probabilities average over {_DRAWS} draws; their error is in the budget")
    if search is None:
        return certificate
    evidence = "Laplace's evidence" if n_classes > 2 else "the evidence"
    note = f"the parameters are a local optimum of {evidence} ({search.status}); their uncertainty is not counted"
    return certificate.noting(note)


@eqx.filter_jit
def _probabilities(posterior: ClassPosterior, X: Array) -> ClassProbabilities:
    def block(x: Array) -> ClassProbabilities:
        cross, prior = posterior.kernel.cross(x, posterior.X), posterior.kernel.diagonal(x)
        found = _of_latent(posterior, posterior.latent, cross, prior)
        if posterior.reference is None:
            return found
        change = _of_latent(posterior, posterior.reference, cross, prior).mean - found.mean
        return found._replace(error=jnp.hypot(found.error, change))

    beliefs = (posterior.latent, posterior.reference)
    functions = sum(belief.mean.shape[-1] for belief in beliefs if isinstance(belief, SoftmaxApproximation))
    return map_rows(block, X, cost=posterior.X.shape[0] * max(functions, 1))


def _of_latent(
    posterior: ClassPosterior, latent: LatentApproximation | SoftmaxApproximation, cross: Array, prior: Array
) -> ClassProbabilities:
    if isinstance(latent, LatentApproximation):
        return _of_two(posterior.likelihood.probability(*latent.predict(cross, prior)))
    if latent.mean.shape[-1] == 2:  # two functions of half the covariance stand for the one behind a logit
        pair, sign = latent.predict(0.5 * cross, 0.5 * prior), jnp.array([-1.0, 1.0])
        variance = jnp.einsum("c,mcd,d->m", sign, pair.covariance, sign)
        return _of_two(posterior.likelihood.probability(pair.mean @ sign, variance))
    # The same draws at every call: a prediction does not change when it is asked for again.
    of_class = softmax_probability(*latent.predict(cross, prior), draws=_DRAWS, random_state=as_key(0))
    return ClassProbabilities(of_class.mean, of_class.variance, of_class.standard_error)


def _of_two(one: ProbabilityMoments) -> ClassProbabilities:
    mean = jnp.stack([1.0 - one.mean, one.mean], axis=1)
    return ClassProbabilities(mean, jnp.stack([one.variance, one.variance], axis=1), jnp.zeros_like(mean))
