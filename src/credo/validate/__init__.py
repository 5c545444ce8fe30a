"""Evaluation, calibration and comparison of any estimator, each claim with its error bar."""
