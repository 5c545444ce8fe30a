"""
Four borders between two classes, and what each of them means
=============================================================

A perceptron, logistic regression, Gaussians with covariances of their own and a support vector machine learn from the
same rows. Two of them say how probable a class is; the other two only say which one, and show no shade here.
"""

import altair as alt
import numpy as np
from sklearn.datasets import make_moons

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
# and the shade is how probable the class "upper" is, if the model is right. The perceptron stops where it is when no
# row is on the wrong side, which here is never, so that its plane is an accident of the order of rows. The support
# vector machine has the rows that lie in its margin as far from the border as their cost is worth; its score is a
# distance, and no probability (``calibrated=True`` fits one to scores of rows that were left out).
across, up = np.linspace(-1.7, 2.7, 56), np.linspace(-1.2, 1.7, 44)
plane = np.array([[a, b] for a in across for b in up])
points = alt.Chart(
    alt.Data(values=[{"x1": float(a), "x2": float(b), "class": c} for (a, b), c in zip(X, labels, strict=True)])
).mark_point(filled=True, size=18, color="black")
points = points.encode(x="x1:Q", y="x2:Q", shape=alt.Shape("class:N"))


def panel(title, model):
    """What a model says over the plane: the probability where it has one, else the class."""
    if hasattr(model, "predict_proba"):
        shade = model.predict_proba(plane)[:, list(model.classes_).index("upper")]
    else:
        shade = (model.predict(plane) == "upper").astype(float)
    rows = [{"x1": float(a), "x2": float(b), "upper": float(p)} for (a, b), p in zip(plane, shade, strict=True)]
    color = alt.Color("upper:Q", scale=alt.Scale(scheme="blueorange", domain=[0, 1]), title="chance of upper")
    squares = alt.Chart(alt.Data(values=rows)).mark_square(size=34, opacity=1).encode(x="x1:Q", y="x2:Q", color=color)
    return (squares + points).properties(width=280, height=200, title=title)


panels = [panel(title, model) for title, model in models.items()]
themed(alt.vconcat(alt.hconcat(*panels[:2]), alt.hconcat(*panels[2:])))
