r"""The machine that support vectors make: $f(x) = \sum_i\theta_i k(x_i, x) + b$."""

from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Float

from credo.errors import UndefinedError
from credo.infer.dual.covariance import kernel_product
from credo.infer.dual.solve import SupportVectors
from credo.kernels import Kernel, Linear

__all__ = ["KernelMachine", "kernel_machine"]


class KernelMachine(eqx.Module):
    """Support vectors with their coefficients, and how well the conditions of the solution hold."""

    kernel: Kernel
    vectors: Float[np.ndarray, "s d"]
    coefficients: Float[np.ndarray, " s"]
    offset: float
    square: float
    gap: float
    violation: float

    @property
    def margin(self) -> float:
        """The distance from the border at which the score is one, in the feature space of the kernel: 1/‖f‖."""
        return 1.0 / self.square**0.5 if self.square > 0.0 else np.inf

    @property
    def coef(self) -> Float[np.ndarray, " d"]:
        """The slope of each column, where the kernel is linear."""
        if not isinstance(self.kernel, Linear):
            raise UndefinedError(
                "coef",
                f"the kernel is {self.kernel}",
                "Only with a linear one is the score a sum over columns",
                "Try kernel=Linear()",
            )
        moved = self.vectors - np.asarray(self.kernel.center)
        return np.asarray(self.kernel.variance) * (moved.T @ self.coefficients)

    @property
    def intercept(self) -> float:
        """The score at zero where the kernel is linear, else b."""
        if not isinstance(self.kernel, Linear):
            return self.offset
        center = np.broadcast_to(np.asarray(self.kernel.center), self.vectors.shape[1:])
        return self.offset - float(self.coef @ center)

    def decision(self, X: Any) -> Float[np.ndarray, " n"]:
        """The score of each row of X. O(n s), in blocks of bounded memory."""
        return kernel_product(self.kernel, np.asarray(X), self.vectors, self.coefficients) + self.offset


def kernel_machine(kernel: Kernel, X: Float[np.ndarray, "n d"], found: SupportVectors) -> KernelMachine:
    """The machine of a solution on the rows X."""
    return KernelMachine(
        kernel, X[found.rows], found.coefficients, found.intercept, found.square, found.gap, found.violation
    )
