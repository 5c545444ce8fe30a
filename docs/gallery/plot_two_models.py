"""
Models that look different and are not
======================================

Three models on the same folds, and one has the smallest error: a table of means would crown it. First compare, then
average: the difference on the same rows, with an error that knows that folds share rows, does not tell them apart.
"""

import numpy as np
from sklearn.datasets import load_diabetes

import credo
from credo.models import KernelRidge, LinearRegression, Ridge

X, y = load_diabetes(return_X_y=True)
some = np.random.default_rng(3).choice(len(y), size=150, replace=False)
models = {"least squares": LinearRegression(), "ridge": Ridge(), "kernel ridge": KernelRidge()}
evaluation = credo.evaluate(models, X[some], y[some], plan="5x5-fold", scores=["squared", "crps"], random_state=0)
print(evaluation)

# %%
# No pair differs by more than its error. The simplest that nothing beats is the one to take, and the comparison says
# how many more rows would tell two of them apart if they differed by what was seen.
comparison = credo.compare(evaluation, rope=50.0)
print(comparison)

# %%
# Zero is in every interval.
credo.plot(comparison)
