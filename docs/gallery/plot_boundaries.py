"""
Four borders between two classes, and what each of them means
=============================================================

A perceptron, logistic regression, Gaussians with covariances of their own and a support vector machine learn from the
same rows. Two of them say how probable a class is; the other two only say which one, and show no shade here.
"""

import altair as alt
import numpy as np
from sklearn.datasets import make_moons

import credo
from credo.models import SVC, GaussianDiscriminant, LogisticRegression, Perceptron
from credo.plots import themed

# %%
# Two moons that touch. No plane separates them, and the perceptron says so.
X, y = make_moons(200, noise=0.2, random_state=0)
labels = np.where(y == 1, "lower", "upper")
models = {
    "perceptron: the last plane it had": Perceptron(),
    "logistic regression: even odds": LogisticRegression(),
    "two Gaussians: equal densities": GaussianDiscriminant(),
    "support vectors: the widest margin": SVC(),
}
for model in models.values():
    model.fit(X, labels)
    print(f"{type(model).__name__}: {np.mean(model.predict(X) == labels):.0%} of its own rows, {model.certificate_}")

# %%
# Logistic regression and the Gaussians are models of chance: their border is where both classes are equally probable,
# and the strength of a color is how probable its class is, if the model is right. The perceptron stops where it is when
# no row is on the wrong side, which here is never, so that its plane is an accident of the order of rows. The support
# vector machine has the rows that lie in its margin as far from the border as their cost is worth; its score is a
# distance, and no probability (``calibrated=True`` fits one to scores of rows that were left out).
panels = [
    credo.plot(model, X, labels, title=title, theme=None).properties(width=260, height=240)
    for title, model in models.items()
]
themed(alt.vconcat(alt.hconcat(*panels[:2]), alt.hconcat(*panels[2:])))
