"""Covariance functions and their algebra, kernel expectations and spectral densities.

They see arrays only and hold no data.
"""
