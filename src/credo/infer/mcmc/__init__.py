"""Markov chain Monte Carlo: samplers of a log density, their draws, and how far these can be trusted."""

from credo.infer.mcmc.diagnostics import Diagnostics, diagnose, ess_bulk, ess_mean, ess_tail, mcse, rhat
from credo.infer.mcmc.draws import Draws
from credo.infer.mcmc.nuts import nuts
from credo.infer.mcmc.slice import slice_sample

__all__ = [
    "Diagnostics",
    "Draws",
    "diagnose",
    "ess_bulk",
    "ess_mean",
    "ess_tail",
    "mcse",
    "nuts",
    "rhat",
    "slice_sample",
]
