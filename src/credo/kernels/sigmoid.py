"""The hyperbolic tangent of an inner product: a similarity that is called a kernel and is none."""

import warnings

import jax.numpy as jnp
from jax import Array
from jaxtyping import Float

from credo.errors import IndefiniteKernelWarning, message
from credo.kernels.base import Kernel
from credo.kernels.priors import SCALE
from credo.numerics.constraints import Positive, Real
from credo.numerics.parameters import parameter

__all__ = ["Sigmoid"]


class Sigmoid(Kernel):
    r"""$k(x, x') = \tanh(a\,x^\top x' + b)$, not positive semi-definite (Schölkopf and Smola 2002, section 2.3).

    For support vector machines and comparisons. No process has this covariance: a Gaussian process with it fails, or
    adds jitter that its certificate reports. Constructing it warns. [](#credo.kernels.ArcCosine) is the covariance of a
    network that is one.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     k = Sigmoid(offset=-1.0)
    >>> k.is_positive_semidefinite, float(k([[1.0]])[0, 0])
    (False, 0.0)
    """

    scale: Float[Array, ""] = parameter(Positive(prior=SCALE), default=1.0)
    offset: Float[Array, ""] = parameter(Real(), default=0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        warnings.warn(
            message(
                "Sigmoid",
                "the hyperbolic tangent of an inner product is not positive semi-definite",
                "No Gaussian process has this covariance",
                "Try ArcCosine() for the covariance of a wide network",
            ),
            IndefiniteKernelWarning,
            stacklevel=5,  # past the constructors of dataclass and Equinox
        )

    @property
    def is_positive_semidefinite(self) -> bool:
        return False

    def cross(self, X: Float[Array, "n d"], Z: Float[Array, "m d"]) -> Float[Array, "n m"]:
        return jnp.tanh(self.scale * (X @ Z.T) + self.offset)

    def diagonal(self, X: Float[Array, "n d"]) -> Float[Array, " n"]:
        return jnp.tanh(self.scale * jnp.sum(X**2, axis=1) + self.offset)
