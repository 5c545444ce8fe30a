"""Exact posteriors of latent Gaussian vectors by elliptical slice sampling (Murray, Adams and MacKay 2010), in NumPy.

It shares nothing with the engines under test: many chains in lockstep, started at draws of the prior.
"""

import numpy as np


def sampled_probabilities(
    covariance, log_likelihood, chances, cross, prior_variance, functions, *, chains=400, steps=500, seed=0
):
    """Mean of ``chances(f)`` at the asked rows (m, k), and its standard error from the spread over the chains.

    `log_likelihood` takes latent values of shape (chains, n, functions), `chances` of shape (chains, m, functions).
    """
    rng = np.random.default_rng(seed)
    n, m = len(covariance), len(cross)
    joint = np.block([[covariance, cross.T], [cross, np.diag(prior_variance)]])
    inverse = np.linalg.inv(covariance + 1e-9 * np.mean(np.diag(covariance)) * np.eye(n))
    lower = np.linalg.cholesky(joint[:n, :n] + 1e-9 * np.mean(np.diag(covariance)) * np.eye(n))
    weights = cross @ inverse
    std = np.sqrt(np.maximum(prior_variance - np.sum(weights * cross, axis=1), 0.0))[:, None]

    latent = lower @ rng.normal(size=(chains, n, functions))
    total = 0.0
    for step in range(steps):
        latent = _slice(rng, latent, lower @ rng.normal(size=latent.shape), log_likelihood)
        if step >= steps // 5:
            away = std * rng.normal(size=(chains, m, functions))
            center = weights @ latent
            total = total + 0.5 * (chances(center + away) + chances(center - away))
    each = total / (steps - steps // 5)
    return each.mean(axis=0), each.std(axis=0) / np.sqrt(chains)


def _slice(rng, latent, other, log_likelihood):
    """One step of every chain along the ellipse through its state and a draw of the prior."""
    height = log_likelihood(latent) + np.log(rng.random(len(latent)))
    angle = rng.uniform(0.0, 2.0 * np.pi, len(latent))
    low, high = angle - 2.0 * np.pi, angle.copy()
    accepted = np.array(latent)
    open_chains = np.arange(len(latent))
    while len(open_chains):
        turned = np.cos(angle[open_chains])[:, None, None] * latent[open_chains]
        proposal = turned + np.sin(angle[open_chains])[:, None, None] * other[open_chains]
        good = log_likelihood(proposal) > height[open_chains]
        accepted[open_chains[good]] = proposal[good]
        open_chains = open_chains[~good]
        below = angle[open_chains] < 0.0
        low[open_chains] = np.where(below, angle[open_chains], low[open_chains])
        high[open_chains] = np.where(below, high[open_chains], angle[open_chains])
        angle[open_chains] = rng.uniform(low[open_chains], high[open_chains])
    return accepted
