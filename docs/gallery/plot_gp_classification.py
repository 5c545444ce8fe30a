"""
Classes with probabilities that know where they are guessing
============================================================

A Gaussian-process classifier averages over functions, so that its probabilities return to even odds far from the rows,
and its budget tells chance from ignorance.
"""

import altair as alt
import numpy as np
from sklearn.datasets import make_moons

import credo
from credo.plots import themed

# %%
# Two moons that overlap a little.
X, y = make_moons(80, noise=0.25, random_state=0)
labels = np.where(y == 1, "lower", "upper")
gp = credo.GPClassifier(random_state=0).fit(X, labels)
print(gp.kernel_)
print(gp.certificate_)

# %%
# The chance of the class "upper" over the plane, and how much of the variance of the label more rows could remove.
across, up = np.linspace(-2.5, 3.5, 49), np.linspace(-2.5, 3.0, 45)
plane = np.array([[a, b] for a in across for b in up])
belief = gp.predict_dist(plane)
chance = np.asarray(belief.mean)[:, 1]
learnable = np.asarray(belief.budget.parameter)[:, 1] / np.asarray(belief.budget.total)[:, 1]
rows = [
    {"x1": float(a), "x2": float(b), "chance": float(p), "learnable": float(s)}
    for (a, b), p, s in zip(plane, chance, learnable, strict=True)
]

# %%
# Left: sure inside the moons, undecided between them and far away. Right: between the moons the doubt is chance, far
# away it is ignorance.
points = (
    alt.Chart(
        alt.Data(values=[{"x1": float(a), "x2": float(b), "class": c} for (a, b), c in zip(X, labels, strict=True)])
    )
    .mark_point(filled=True, size=30, color="black")
    .encode(x="x1:Q", y="x2:Q", shape=alt.Shape("class:N"))
)


def field(name, title, scheme):
    """One quantity over the plane, with the rows on top."""
    color = alt.Color(f"{name}:Q", scale=alt.Scale(scheme=scheme, domain=[0, 1]), title=title)
    squares = alt.Chart(alt.Data(values=rows)).mark_square(size=55, opacity=1).encode(x="x1:Q", y="x2:Q", color=color)
    return (squares + points).properties(width=280, height=260, title=title)


themed(
    alt.hconcat(
        field("chance", "chance of upper", "blueorange"), field("learnable", "share that rows remove", "viridis")
    ).resolve_scale(color="independent")
)
