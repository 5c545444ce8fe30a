"""Gaussian-process regression as the textbook writes it: a row a measurement, dense matrices, explicit inverses.

Rasmussen and Williams 2006, equations 2.23 to 2.30 and 2.38, in NumPy and SciPy. Nothing of credo is used here.
"""

import numpy as np
from scipy import stats


def scaled_distance(A, B, lengthscale):
    return np.sqrt(np.sum(((A[:, None, :] - B[None, :, :]) / lengthscale) ** 2, axis=-1))


def rbf(A, B, variance=1.0, lengthscale=1.0):
    return variance * np.exp(-0.5 * scaled_distance(A, B, lengthscale) ** 2)


def matern52(A, B, variance=1.0, lengthscale=1.0):
    a = np.sqrt(5.0) * scaled_distance(A, B, lengthscale)
    return variance * (1.0 + a + a**2 / 3.0) * np.exp(-a)


class Textbook:
    """y = f(x) + noise with f of covariance k and the given mean, and a variance of the noise for each row."""

    def __init__(self, k, X, y, noise, mean=lambda X: np.zeros(len(X))):
        self.k, self.X, self.y, self.mean = k, np.asarray(X, dtype=float), np.asarray(y, dtype=float), mean
        self.noise = np.broadcast_to(np.asarray(noise, dtype=float), self.y.shape)

    @property
    def covariance(self):
        return self.k(self.X, self.X) + np.diag(self.noise)

    @property
    def residual(self):
        return self.y - self.mean(self.X)

    def posterior(self, Z):
        """Mean and covariance of f at the rows of Z."""
        inverse, cross = np.linalg.inv(self.covariance), self.k(Z, self.X)
        return self.mean(Z) + cross @ inverse @ self.residual, self.k(Z, Z) - cross @ inverse @ cross.T

    def log_evidence(self):
        return stats.multivariate_normal(self.mean(self.X), self.covariance).logpdf(self.y)

    def rows(self, chosen):
        """The same process on some of the rows."""
        return Textbook(self.k, self.X[chosen], self.y[chosen], self.noise[chosen], self.mean)

    def leave_one_out(self, i):
        """Mean and variance of a new measurement at row i, from the other rows."""
        mean, covariance = self.rows(np.arange(len(self.y)) != i).posterior(self.X[i : i + 1])
        return mean[0], covariance[0, 0] + self.noise[i]

    def sequential(self, order):
        """log p(yᵢ | the rows before it), each from a fit of its own."""
        values = []
        for position, i in enumerate(order):
            mean, covariance = self.mean(self.X[i : i + 1]), self.k(self.X[i : i + 1], self.X[i : i + 1])
            if position:
                mean, covariance = self.rows(order[:position]).posterior(self.X[i : i + 1])
            values.append(stats.norm(mean[0], np.sqrt(covariance[0, 0] + self.noise[i])).logpdf(self.y[i]))
        return np.array(values)
