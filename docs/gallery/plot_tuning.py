"""
Tuning a model by cross-validation
==================================

The penalty and the width of a support vector machine, on scales of many decades. A cross-validated score is noisy, so
that the best number seen is too good to be true: what counts is what is believed of the score behind the noise.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import credo
from credo.represent import Real, Space

X, y = load_breast_cancer(return_X_y=True)
rng = np.random.default_rng(0)


def error(point):
    """The share of wrong classes in one round of five folds, dealt anew for every trial."""
    model = make_pipeline(StandardScaler(), SVC(C=point["penalty"], gamma=point["width"]))
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=1, random_state=int(rng.integers(2**31)))
    return 1.0 - np.mean(cross_val_score(model, X, y, cv=folds))


# %%
# Both parameters on a log scale; "log_nei" is the expected improvement on what is behind noise.
space = Space({"penalty": Real(1e-3, 1e4, log=True), "width": Real(1e-6, 1.0, log=True)})
study = credo.Study(space, acquisition="log_nei", random_state=0).optimize(error, 30)
print(study.report())

# %%
# The best measured number of 30 noisy ones, the belief about the recommended point, and twenty fresh rounds of folds
# there.
chosen = study.recommend()
fresh = [error(chosen.params) for _ in range(20)]
low, high = chosen.belief.interval(0.9)
print(f"best measured {study.best.value:.4f}; believed {float(chosen.belief.mean):.4f}, from {low:.4f} to {high:.4f}")
print(f"fresh rounds at that point: {np.mean(fresh):.4f} ± {np.std(fresh, ddof=1) / 20**0.5:.4f}")

# %%
credo.plot(study, "contour", "penalty", "width")
