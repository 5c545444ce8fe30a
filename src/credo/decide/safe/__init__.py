"""Safe optimization: the best point while every query keeps bounds with a stated probability."""

from credo.decide.safe.reason import SafeWhy
from credo.decide.safe.study import SafeStudy

__all__ = ["SafeStudy", "SafeWhy"]
