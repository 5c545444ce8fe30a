"""Value and gradient of an RBF-ARD log evidence: credo, GPyTorch, scikit-learn, and LAPACK as the limit.

The same data and the same ten parameters (eight log length-scales, log signal variance, log noise variance) for all;
each peer through its public interface, exact, in float64, on as many threads as it likes.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy.linalg import lapack

from benchmarks.race import Race, interleaved
from credo.numerics import gaussian_log_density
from credo.numerics.memory import KeptMemory

SIZES = (500, 1000, 2000, 4000)
COLUMNS = 8
LOG_SCALES = np.log(np.linspace(1.5, 3.0, COLUMNS))
LOG_SIGNAL, LOG_NOISE = np.log(1.3), np.log(0.05)
PARAMETERS = np.concatenate([LOG_SCALES, [LOG_SIGNAL, LOG_NOISE]])

Answer = tuple[float, np.ndarray]


def data(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of eight standard normal columns; a smooth response with noise."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, COLUMNS))
    return x, np.sin(x[:, 0]) + 0.5 * x[:, 1] * np.cos(x[:, 2]) + 0.2 * rng.normal(size=n)


@jax.custom_vjp
def signal_covariance(parameters: jax.Array, x: jax.Array) -> jax.Array:
    """s² exp(−r²/2), from one matrix product; never above s²."""
    scaled = x * jnp.exp(-parameters[:COLUMNS])
    half_squares = 0.5 * jnp.sum(scaled**2, axis=1)
    exponent = scaled @ scaled.T - half_squares[:, None] - half_squares[None, :]
    return jnp.exp(parameters[COLUMNS] + jnp.minimum(exponent, 0.0))


def _forth(parameters: jax.Array, x: jax.Array) -> tuple[jax.Array, Any]:
    covariance = signal_covariance(parameters, x)
    return covariance, (parameters, x, covariance)


def _back(kept: Any, cotangent: jax.Array) -> tuple[jax.Array, None]:
    """With C = K ∘ cotangent and z = x/ℓ: Σ C for log s², Σᵢ zᵢ Σⱼ (Cᵢⱼ + Cⱼᵢ)(zᵢ − zⱼ) for log ℓ.

    One pass writes C and two read it; automatic differentiation passes over n² numbers nine times.
    """
    parameters, x, covariance = kept
    scaled = x * jnp.exp(-parameters[:COLUMNS])
    ones = jnp.concatenate([scaled, jnp.ones((x.shape[0], 1))], axis=1)
    pulled = covariance * cotangent
    sums = pulled @ ones + jnp.einsum("ji,jk->ik", pulled, ones)
    by_scales = jnp.sum(scaled * (sums[:, -1:] * scaled - sums[:, :-1]), axis=0)
    return jnp.concatenate([by_scales, 0.5 * jnp.sum(sums[:, -1:], axis=0), jnp.zeros(1)]), None


signal_covariance.defvjp(_forth, _back)


@jax.jit
@jax.value_and_grad
def log_evidence(parameters: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    return gaussian_log_density(signal_covariance(parameters, x), y, noise=jnp.exp(parameters[-1]))


def credo(x: np.ndarray, y: np.ndarray) -> Callable[[], Answer]:
    parameters, x_, y_ = jnp.asarray(PARAMETERS), jnp.asarray(x), jnp.asarray(y)

    def run() -> Answer:
        value, gradient = log_evidence(parameters, x_, y_)
        return float(value), np.asarray(gradient)

    return run


def bare_lapack(x: np.ndarray, y: np.ndarray) -> Callable[[], None]:
    covariance = np.array(jax.jit(signal_covariance)(PARAMETERS, x)) + np.exp(LOG_NOISE) * np.eye(len(y))
    matrix = covariance.T  # a view in LAPACK's own order, so that nothing is transposed

    def run() -> None:
        factor, _ = lapack.dpotrf(matrix, lower=0, clean=0)
        lapack.dpotri(factor, lower=0, overwrite_c=1)

    return run


def scikit_learn(x: np.ndarray, y: np.ndarray) -> Callable[[], Answer]:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    kernel = ConstantKernel(np.exp(LOG_SIGNAL)) * RBF(np.exp(LOG_SCALES)) + WhiteKernel(np.exp(LOG_NOISE))
    model = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None)
    model.kernel_, model.X_train_, model.y_train_ = (
        kernel,
        x,
        y,
    )  # what log_marginal_likelihood reads; fit would factorize
    order = [*range(1, COLUMNS + 1), 0, COLUMNS + 1]

    def run() -> Answer:
        value, gradient = model.log_marginal_likelihood(kernel.theta, eval_gradient=True, clone_kernel=False)
        return float(value), gradient[order]

    return run


def gpytorch(x: np.ndarray, y: np.ndarray) -> Callable[[], Answer]:
    import gpytorch
    import torch

    class Exact(gpytorch.models.ExactGP):
        def __init__(self, x: Any, y: Any, likelihood: Any) -> None:
            super().__init__(x, y, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=COLUMNS))

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    inputs, targets = torch.as_tensor(x), torch.as_tensor(y)
    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = Exact(inputs, targets, likelihood).double().train()
    model.covar_module.base_kernel.lengthscale = torch.as_tensor(np.exp(LOG_SCALES))
    model.covar_module.outputscale = torch.as_tensor(np.exp(LOG_SIGNAL))  # a Python float would pass through float32
    likelihood.noise = torch.as_tensor(np.exp(LOG_NOISE))
    raw = [
        model.covar_module.base_kernel.raw_lengthscale,
        model.covar_module.raw_outputscale,
        likelihood.noise_covar.raw_noise,
    ]
    constraints = [
        model.covar_module.base_kernel.raw_lengthscale_constraint,
        model.covar_module.raw_outputscale_constraint,
        likelihood.noise_covar.raw_noise_constraint,
    ]
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    exactly = (
        gpytorch.settings.max_cholesky_size(10**6),
        gpytorch.settings.fast_computations(covar_root_decomposition=False, log_prob=False, solves=False),
    )

    def run() -> Answer:
        model.zero_grad()
        with exactly[0], exactly[1]:
            value = evidence(model(inputs), targets) * len(y)  # GPyTorch reports the mean over rows
            value.backward()
        return value.item(), np.concatenate(
            [_by_logarithm(p, c).ravel() for p, c in zip(raw, constraints, strict=True)]
        )

    return run


def _by_logarithm(raw: Any, constraint: Any) -> np.ndarray:
    """GPyTorch differentiates by its own unconstrained parameter; the chain rule takes it to the logarithm."""
    import torch

    detached = raw.detach().requires_grad_(True)
    slope = torch.autograd.grad(torch.log(constraint.transform(detached)).sum(), detached)[0]
    return (raw.grad / slope).numpy()


def difference(answer: Answer, other: Answer) -> tuple[float, float]:
    """How far two answers are apart, relative: of the values, and of the gradients by their largest entry."""
    value = abs(answer[0] - other[0]) / abs(other[0])
    return float(value), float(np.max(np.abs(answer[1] - other[1])) / np.max(np.abs(other[1])))


def race(sizes: tuple[int, ...] = SIZES) -> Race:
    """One row a size and implementation."""
    rows = []
    for n in sizes:
        x, y = data(n)
        peers = {"GPyTorch": gpytorch(x, y), "scikit-learn": scikit_learn(x, y)}
        with KeptMemory():
            kept = {f"{name}, memory kept": run for name, run in peers.items()}
            own = {"credo": credo(x, y), "potrf + potri": bare_lapack(x, y)}
            timings = interleaved(own | kept, repeats=10, seconds=45.0)
        timings |= interleaved(peers, repeats=10, seconds=30.0)
        best_peer = min(timings["GPyTorch"].best, timings["scikit-learn"].best)
        for name, timing in timings.items():
            is_answer = timing.value is not None and name != "credo"
            by_value, by_gradient = difference(timings["credo"].value, timing.value) if is_answer else (None, None)
            rows.append(
                {
                    "n": n,
                    "implementation": name,
                    "seconds": timing.best,
                    "ratio to best peer": timing.best / best_peer,
                    "ratio to potrf + potri": timing.best / timings["potrf + potri"].best,
                    "first call, seconds": timing.first,
                    "value differs by": by_value,
                    "gradient differs by": by_gradient,
                }
            )
    text = (
        f"Log evidence of a Gaussian process with an RBF kernel, one length-scale for each of {COLUMNS} columns, and "
        "its gradient by all ten parameters, in float64. Best of up to ten interleaved calls, compilation apart. "
        "Evaluations of credo run as in its own search, where freed memory stays with the process; the peers run as "
        "they come, and once more with that advantage. Differences are relative, between credo's answer and the one of "
        "the row; `potrf + potri` is the bare LAPACK time for a covariance that is already there."
    )
    return Race("Gaussian log density with gradient", text, rows)


if __name__ == "__main__":
    from benchmarks.race import publish

    publish("gaussian_log_density", race())
