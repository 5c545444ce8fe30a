"""What is believed of the objective after some trials: the default Gaussian process, in units that do not move.

A column from 0 to 1 is scaled so that evenly spread points have a standard deviation of one, whatever points a study
has come to; codes of choices stay codes. The objective is standardized, and turned so that less is better.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.decide.acquisitions import GPSurface, Surface, surface_of
from credo.infer.gaussian.evidence import Evidence as EvidenceParts
from credo.infer.gaussian.means import ZeroMean
from credo.infer.gaussian.observations import Observations
from credo.infer.gaussian.posterior import GPPosterior
from credo.infer.gaussian.process import ConstantNoise, Process
from credo.infer.gaussian.quick_mode import Evidence, Mode, Solved, mode_of
from credo.infer.gaussian.quick_profiles import PROFILES
from credo.kernels import RBF, Hamming, Kernel, Matern52, On
from credo.kernels.stationary import Stationary
from credo.models import GPRegressor
from credo.models.gp.defaults import default_kernel
from credo.numerics.certificate import Info
from credo.numerics.cholesky import Factor
from credo.numerics.concrete import placed
from credo.numerics.constraints import Positive
from credo.numerics.padding import bucket
from credo.numerics.parameters import flatten
from credo.numerics.scalar import LOG_2PI
from credo.numerics.threads import OneBlasThread
from credo.represent.space import Space

__all__ = [
    "Learned",
    "in_units",
    "learn_objective",
    "learned_by",
    "over_columns",
    "parameters_of",
    "resumed",
    "standardized",
    "starting_kernel",
    "units_of",
]

_SPREAD = float(np.sqrt(1.0 / 12.0))  # of numbers that are spread evenly from 0 to 1
_NOISE = 0.01  # of the variance of the objective, where a search by JAX begins
_LEAST_NOISE = 1e-8
_SAME = 1e-15  # of the largest value: a spread that is round-off
_QUICK = 1024  # rows, up to which NumPy is faster than compiling
_AGAIN = 5  # trials, after each so many of which the search begins at the beginning, too

# What is believed of logarithms of parameters, as middle and spread: of a length-scale √d standard deviations of a
# column and a factor e; of the variance that of the objective and a factor 4.5; of noise a four-hundredth of the
# variance, but a factor 55 either way: what is computed has none, and what is measured has more.
_LENGTHSCALE, _CHOICE, _VARIANCE, _NOISES = (0.0, 1.0), (0.0, 1.5), (0.0, 1.5), (-6.0, 4.0)
_NOISY = -9.0  # in logarithms, a hundredth of the spread of the objective: with more noise a smoother kernel is tried
_FIRST_LENGTHSCALE, _FIRST_NOISE = float(np.log(0.5)), float(np.log(1e-3))  # where a search begins


class Learned(NamedTuple):
    """The belief in standard units, what takes it back to those of the objective, and the parameters that were learnt.

    `value = center + scale * standard`, of the objective turned so that less is better.
    """

    surface: Surface
    center: float
    scale: float
    noise: float
    parameters: list[float]

    def standard(self, values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Values of the turned objective in standard units."""
        return (values - self.center) / self.scale


def over_columns(space: Space, smooth: Callable[[int], Kernel], unlike: Callable[[int], Kernel]) -> Kernel:
    """A kernel of the columns that are numbers, times one of the codes of choices; each is made for so many columns."""
    codes, numbers = _columns(space)
    if not codes:
        return smooth(len(numbers))
    if not numbers:
        return On(unlike(len(codes)), codes)
    return On(smooth(len(numbers)), numbers) * On(unlike(len(codes)), codes)


def starting_kernel(space: Space) -> Kernel:
    """Matérn-5/2 over the columns that are numbers, times a factor for every choice that differs."""
    return over_columns(space, default_kernel, lambda count: Hamming(lengthscale=jnp.ones(count)))


def _columns(space: Space) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Those that are codes, and those that are numbers."""
    codes = tuple(j for j, kind in enumerate(space.column_kinds) if kind.kind == "code")
    return codes, tuple(j for j in range(len(space)) if j not in codes)


def units_of(space: Space) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """Shift and scale of each column of the encoding: those of codes are zero and one."""
    codes = np.array([kind.kind == "code" for kind in space.column_kinds])
    return np.where(codes, 0.0, 0.5), np.where(codes, 1.0, _SPREAD)


def learn_objective(
    space: Space,
    rows: Float[np.ndarray, "n d"],
    values: Float[np.ndarray, " n"],
    *,
    start: Sequence[float] | None = None,
    restarts: int = 0,
    seed: int = 0,
    kernel: Kernel | None = None,
) -> Learned:
    """The process after measurements at encoded rows, its search begun at parameters of an earlier one. O(n³).

    With `restarts` and no parameters to begin at there are so many random starts beside the usual one; with them, the
    usual one after every fifth measurement. The default kernel at the mode of its parameters is found by NumPy: it is
    Matérn's, or where there is noise the squared exponential, if that is more probable. Another kernel and more than
    1024 rows are JAX's.
    """
    if kernel is None and len(values) <= _QUICK:
        standard, center, scale = standardized(values)
        with OneBlasThread():
            surface, noise, learnt = _quickly(space, in_units(space, rows), standard, start, restarts, seed)
        return Learned(surface, center, scale, noise, learnt)
    kernel, level = resumed(starting_kernel(space) if kernel is None else kernel, _NOISE, start)
    model = GPRegressor(
        kernel=kernel,
        noise_variance=Positive(max(level, _LEAST_NOISE)),
        n_restarts=restarts,
        standardize=False,
        random_state=seed,
    )
    return learned_by(model, space, rows, values)


def learned_by(
    model: GPRegressor, space: Space, rows: Float[np.ndarray, "n d"], values: Float[np.ndarray, " n"]
) -> Learned:
    """A process of one's own, fitted in the units of a study: columns and objective of spread about one."""
    standard, center, scale = standardized(values)
    model.fit(in_units(space, rows), standard)
    shift, width = units_of(space)
    surface = surface_of(model, (placed(shift), placed(width)))
    return Learned(surface, center, scale, float(model.noise_variance_), parameters_of(model))


def standardized(values: Float[np.ndarray, " n"]) -> tuple[Float[np.ndarray, " n"], float, float]:
    """With mean zero and standard deviation one, the mean, and the standard deviation (one where there is none)."""
    size = float(np.max(np.abs(values))) or 1.0  # the square of which may be too large for a number
    shares = values / size
    center, spread = float(np.mean(shares)), float(np.std(shares))
    if spread <= _SAME:
        return np.zeros_like(values), size * center, 1.0
    return (shares - center) / spread, size * center, size * spread


def in_units(space: Space, rows: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    """Rows of the encoding in the units of a surrogate."""
    shift, width = units_of(space)
    return (rows - shift) / width


def resumed(kernel: Kernel, noise: float, start: Sequence[float] | None) -> tuple[Kernel, float]:
    """Where a search begins: at the parameters that an earlier one ended at, if they are of such a kernel."""
    flat = flatten(kernel)
    # The last one is a variance here, and its logarithm where NumPy searched: of fewer rows than now.
    if start is None or len(start) != len(flat.vector) + 1 or start[-1] <= 0.0:
        return kernel, noise
    return flat.rebuild(placed(np.asarray(start[:-1]))), float(start[-1])


def parameters_of(model: GPRegressor) -> list[float]:
    """Of a fitted process, as `resumed` takes them."""
    return [*np.asarray(flatten(model.kernel_).vector).tolist(), float(model.noise_variance_)]


def _quickly(
    space: Space, X: np.ndarray, y: np.ndarray, start: Sequence[float] | None, restarts: int, seed: int
) -> tuple[GPSurface, float, list[float]]:
    """The surface at the mode of the parameters, the noise, and the logarithms of all."""
    codes, numbers = _columns(space)
    p, c = len(numbers), len(codes)
    wide = 0.5 * np.log(max(p, 1))  # typical distances grow with the root of the dimension
    believed = np.array([_LENGTHSCALE] * p + [_CHOICE] * c + [_VARIANCE, _NOISES])
    usual = np.array([_FIRST_LENGTHSCALE] * p + [0.0] * c + [0.0, _FIRST_NOISE])
    usual[:p] += wide
    believed[:p, 0] += wide
    starts = _starts(usual, start, restarts, len(y), seed)
    found: list[tuple[Mode, type[Stationary], Evidence]] = []
    for kernel in (Matern52, RBF):
        evidence = Evidence(
            X,
            y,
            np.isin(np.arange(p + c), codes),
            middle=believed[:, 0],
            spread=believed[:, 1],
            least=_LEAST_NOISE,
            profile=PROFILES[kernel],
        )
        found.append((mode_of(evidence, starts), kernel, evidence))
        if not p or found[0][0].logs[-1] < _NOISY:
            break
    mode, smooth, evidence = min(found, key=lambda each: each[0].loss)
    noise = float(np.exp(mode.logs[-1])) + _LEAST_NOISE
    surface = _surface(space, X, y, smooth, mode.logs, noise, evidence.solved(mode.logs))
    return surface, noise, mode.logs.tolist()


def _starts(
    usual: np.ndarray, start: Sequence[float] | None, restarts: int, n: int, seed: int
) -> list[Float[np.ndarray, " q"]]:
    if start is None or len(start) != len(usual):
        steps = np.random.default_rng(seed).normal(size=(restarts, len(usual)))
        return [usual, *(usual + steps)]
    earlier = np.asarray(start, dtype=np.float64)
    return [earlier, usual] if restarts and n % _AGAIN == 0 else [earlier]


def _surface(
    space: Space,
    X: np.ndarray,
    y: np.ndarray,
    kernel: type[Stationary],
    logs: np.ndarray,
    noise: float,
    solved: Solved,
) -> GPSurface:
    """What JAX makes of the same parameters, put together from the factor that is there; rows padded."""
    p = len(_columns(space)[1])
    n, extra = len(y), bucket(len(y)) - len(y)
    pivots = np.diagonal(solved.lower)
    lower = np.pad(solved.lower, [(0, extra), (0, extra)])
    lower[np.arange(n, n + extra), np.arange(n, n + extra)] = np.max(pivots)
    longer = [np.pad(array, (0, extra)) for array in (y, np.ones(n), np.zeros(n), np.zeros(n), solved.weights)]
    scales, (shift, width) = np.exp(logs[:-2]), units_of(space)
    there = {
        "data": [np.pad(X, [(0, extra), (0, 0)], mode="edge"), *longer[:-1]],
        "weights": longer[-1],
        "lower": lower,
        "info": [np.int64(0), np.int64(1), np.float64(0.0), np.float64(0.0), np.float64(np.nan)],
        "evidence": [-0.5 * y @ solved.weights, -np.sum(np.log(pivots)), np.float64(-0.5 * LOG_2PI * n)],
        "kernel": [np.exp(logs[-2]), scales[:p], scales[p:]],
        "noise": np.float64(noise),
        "units": [shift, width],
    }
    at = jax.device_put(there)  # all together: a transfer costs more than what it carries
    process = Process(_learnt_kernel(space, kernel, *at["kernel"]), ZeroMean(), ConstantNoise(at["noise"]))
    factor = Factor(at["lower"], Info(*at["info"]))
    posterior = GPPosterior(process, Observations(*at["data"]), factor, at["weights"], EvidenceParts(*at["evidence"]))
    return GPSurface(posterior, *at["units"])


def _learnt_kernel(space: Space, smooth: type[Stationary], variance: Array, lengths: Array, unlike: Array) -> Kernel:
    # Where there are no numbers, the choices have the variance.
    of_choices = Hamming(lengthscale=unlike) if len(lengths) else Hamming(variance=variance, lengthscale=unlike)
    return over_columns(space, lambda _: smooth(variance=variance, lengthscale=lengths), lambda _: of_choices)
