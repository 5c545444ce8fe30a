"""The peer GPyTorch: an exact process with Matérn-5/2 and noise, fitted by L-BFGS-B in float64, by Cholesky."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gpytorch
import numpy as np
import torch
from linear_operator.utils.errors import NanError, NotPSDError
from scipy.optimize import minimize
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from benchmarks.gp.problem import NOISE_FLOOR, STOPPING, Fitted, Moments, Units, settled

_WALL = 1e10  # where the covariance cannot be factorized: a line search turns back
_ROWS = 2048  # predicted at once: GPyTorch would otherwise form the covariance of all new rows


class Exact(gpytorch.models.ExactGP):
    """Zero mean, scaled Matérn-5/2 with a length-scale a column."""

    def __init__(self, x: Any, y: Any) -> None:
        noise = gpytorch.constraints.GreaterThan(NOISE_FLOOR)
        super().__init__(x, y, gpytorch.likelihoods.GaussianLikelihood(noise_constraint=noise))
        self.mean_module = gpytorch.means.ZeroMean()
        kernel = gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=x.shape[1])
        self.covar_module = gpytorch.kernels.ScaleKernel(kernel)

    def forward(self, x: Any) -> Any:
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    @property
    def values(self) -> np.ndarray:
        """Variance, length-scales, noise."""
        parts = (self.covar_module.outputscale, self.covar_module.base_kernel.lengthscale, self.likelihood.noise)
        return np.concatenate([part.detach().numpy().ravel() for part in parts])

    def place(self, values: np.ndarray) -> None:
        """Set them. As arrays: a Python float would pass through float32."""
        self.covar_module.outputscale = torch.as_tensor(values[0])
        self.covar_module.base_kernel.lengthscale = torch.as_tensor(values[1:-1])
        self.likelihood.noise = torch.as_tensor(max(values[-1], 1.01 * NOISE_FLOOR))


@contextmanager
def exactly() -> Iterator[None]:
    """Cholesky at every size: by default GPyTorch estimates from 800 rows on."""
    with (
        gpytorch.settings.max_cholesky_size(10**6),
        gpytorch.settings.fast_computations(covar_root_decomposition=False, log_prob=False, solves=False),
    ):
        yield


def model_at(x: np.ndarray, y: np.ndarray, values: np.ndarray) -> Exact:
    """A process in these units at these values."""
    model = Exact(torch.as_tensor(x), torch.as_tensor(y)).double()
    model.place(values)
    return model


def fit(x: np.ndarray, y: np.ndarray, starts: np.ndarray) -> Fitted:
    """The best of one search from each of the `starts`, in GPyTorch's own free parameters (softplus)."""
    units = Units.of(x, y)
    model = model_at(units.inputs(x), units.targets(y), np.exp(starts[0]))
    searches = [_search(model, start) for start in starts]
    best = min(searches, key=lambda found: found.fun)
    vector_to_parameters(torch.as_tensor(best.x), model.parameters())

    def in_units(new: np.ndarray) -> Moments:
        mean, std = predict(model, units.inputs(new))
        return units.target_shift + units.target_scale * mean, units.target_scale * std

    values = model.values
    return Fitted(float(values[0]), values[1:-1], float(values[-1]), in_units)


def _search(model: Exact, start: np.ndarray) -> Any:
    model.train()
    model.place(np.exp(start))
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model)
    (x,), y = model.train_inputs, model.train_targets

    def loss(vector: np.ndarray) -> tuple[float, np.ndarray]:
        vector_to_parameters(torch.as_tensor(vector), model.parameters())
        model.zero_grad()
        try:
            value = -evidence(model(x), y) * len(y)  # GPyTorch reports the mean over rows
            value.backward()
        except (NotPSDError, NanError):
            return _WALL, np.zeros_like(vector)
        return value.item(), np.concatenate([p.grad.numpy().ravel() for p in model.parameters()])

    first = parameters_to_vector(model.parameters()).detach().numpy().copy()
    with exactly():
        return minimize(loss, first, method="L-BFGS-B", jac=True, callback=settled(), options=STOPPING)


def predict(model: Exact, new: np.ndarray) -> Moments:
    """Mean and standard deviation of a new observation at each row, in the units of the model."""
    model.eval()
    rows = torch.as_tensor(new)
    with torch.no_grad(), exactly():
        parts = [model.likelihood(model(block)) for block in torch.split(rows, _ROWS)]
        mean = torch.cat([part.mean for part in parts])
        return mean.numpy(), torch.cat([part.variance for part in parts]).sqrt().numpy()
