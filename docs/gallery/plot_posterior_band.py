"""
A posterior band
================

Bayesian linear regression with polynomial features on thirty simulated runs: the band widens where there are no runs,
and the budget says why.
"""

import numpy as np

import credo
from credo.models import BayesianLinearRegression

# %%
# Thirty runs of an experiment, all of them between 0 and 7.
rng = np.random.default_rng(0)
x = rng.uniform(0.0, 7.0, 30)
y = 2.0 + np.sin(0.8 * x) + 0.15 * x + rng.normal(0.0, 0.2, 30)


def features(x):
    """Powers of the position: a polynomial of degree five."""
    return (np.asarray(x)[:, None] / 5.0 - 1.0) ** np.arange(1, 6)


# %%
# The prior scale is chosen by maximal evidence; noise and coefficients are integrated out, so the predictive is a
# Student t.
model = BayesianLinearRegression().fit(features(x), y)
print(model.certificate_)

# %%
# A predictive is one belief with a row for every position, and each row has its budget. Among the runs the variance is
# mostly noise, and one more run there buys little; beyond them it is mostly what the model has not learnt yet.
print("at x = 3:", model.predict_dist(features([3.0])).budget.advice())
print("at x = 8:", model.predict_dist(features([8.0])).budget.advice())

# %%
# ``credo.plot`` finds the picture for a belief by its type.
grid = np.linspace(0.0, 8.0, 161)
credo.plot(model.predict_dist(features(grid)), x=grid, data=(x, y), title="Thirty runs and what they say about others")
