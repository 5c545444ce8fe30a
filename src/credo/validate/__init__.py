"""Evaluation, calibration and comparison of any estimator, each claim with its error bar."""

from credo.validate.audit import Audit, audit

__all__ = ["Audit", "audit"]
