"""
Counts, and what a table of coefficients may say
================================================

A Poisson regression of counts, with its table; then the same table where the counts vary more than a Poisson does, and
the cases in which there is no honest table at all.
"""

import warnings

import numpy as np

import credo
from credo.models import GLM, LogisticRegression, PoissonRegression

# %%
# Visits to a clinic by age and distance, counted over different spans of time. The logarithm of the span is an offset:
# twice the time is twice the visits.
rng = np.random.default_rng(3)
n = 300
age, distance = rng.uniform(20.0, 80.0, n), rng.exponential(5.0, n)
years = rng.uniform(0.5, 3.0, n)
rate = np.exp(-1.0 + 0.03 * age - 0.1 * distance)
X = np.column_stack([age, distance])
visits = rng.poisson(rate * years)
model = PoissonRegression().fit(X, visits, exposure=years)
print(model.summary())

# %%
# If patients differ beyond what the columns say, counts spread wider than a Poisson. Robust standard errors do not
# trust the model's variance; a negative binomial has a parameter for it.
spread = rng.poisson(rate * years * rng.gamma(2.0, 0.5, n))
wide = PoissonRegression().fit(X, spread, exposure=years)
classical, robust = (wide.estimates(covariance=kind)["y0"].standard_errors for kind in ("classical", "HC1"))
print("classical:", classical.round(4), "robust:", robust.round(4))
print(GLM(family="negative binomial").fit(X, spread, exposure=years).summary())

# %%
# Where the numbers would be wrong, there are none. Here a column tells the classes apart without error, and the maximum
# of the likelihood is at infinity.
x = np.linspace(-1.0, 1.0, 20)[:, None]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    separated = LogisticRegression().fit(x, x[:, 0] > 0.0)
try:
    separated.summary()
except credo.errors.UndefinedError as refusal:
    print(refusal)

# %%
# The expected visits a year along age, for someone who lives five kilometers away, with the interval of a new count.
grid = np.column_stack([np.linspace(20.0, 80.0, 61), np.full(61, 5.0)])
credo.plot(model.predict_dist(grid), grid[:, 0], x_title="age", y_title="visits in a year", title="A year of visits")
