"""The default priors of kernel parameters: weak, and meant for standardized inputs and targets."""

import math

import jax.numpy as jnp

from credo.beliefs.log_normal import LogNormal
from credo.beliefs.normal import Normal

__all__ = ["BANDWIDTH", "LENGTHSCALE", "MIXING", "PERIOD", "SCALE", "STEEPNESS", "VARIANCE"]

#: Of variances, in units of the variance of the targets: a factor of 4.5 either way is one standard deviation.
VARIANCE = LogNormal(jnp.asarray(0.0), jnp.asarray(1.5))

#: Of length-scales, in standard deviations of a column: median 1.6, a factor of 4.5 either way.
LENGTHSCALE = LogNormal(jnp.asarray(0.5), jnp.asarray(1.5))

#: Of periods, in standard deviations of a column: median 1, a factor of 2.7 either way.
PERIOD = LogNormal(jnp.asarray(0.0), jnp.asarray(1.0))

#: Of the spread of a spectral line: what LENGTHSCALE says of 1/(2π · spread).
BANDWIDTH = LogNormal(jnp.asarray(-0.5 - math.log(2.0 * math.pi)), jnp.asarray(1.5))

#: Of the steepness of a change, one over a standard deviation of the column: median 2.7, a factor of 4.5 either way.
STEEPNESS = LogNormal(jnp.asarray(1.0), jnp.asarray(1.5))

#: Of positive numbers that have no unit: median 1, a factor of 4.5 either way.
SCALE = LogNormal(jnp.asarray(0.0), jnp.asarray(1.5))

#: Of the weight of a shared function in an output, in standard deviations of the output: either sign.
MIXING = Normal(jnp.asarray(0.0), jnp.asarray(1.0))
