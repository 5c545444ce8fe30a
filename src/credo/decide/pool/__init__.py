"""Which rows of a pool to label next: ProbCover, and the samplers that it is compared with."""

from credo.decide.pool.cover import Cover, ProbCover
from credo.decide.pool.sampler import PoolPicks, PoolSampler
from credo.decide.pool.spread import CoreSetSampler, KMeansSampler, RandomSampler
from credo.decide.pool.unsure import EntropySampler, MarginSampler, UncertaintySampler

__all__ = [
    "CoreSetSampler",
    "Cover",
    "EntropySampler",
    "KMeansSampler",
    "MarginSampler",
    "PoolPicks",
    "PoolSampler",
    "ProbCover",
    "RandomSampler",
    "UncertaintySampler",
]
