"""
Bias and variance, seen by simulation
=====================================

The error of a prediction has three parts: noise, which nothing removes, the square of the bias, which a stiff model
has, and the variance, which a flexible one has. Draw the same experiment many times and all three can be seen.
"""

import altair as alt
import numpy as np
import polars as pl

from credo.models import Ridge
from credo.plots import themed

# %%
# Thirty rows of a curve, two hundred times over, and a polynomial of degree nine with a penalty on its coefficients.
rng = np.random.default_rng(0)
x = np.linspace(-1.0, 1.0, 30)
columns = np.vander(x, 10, increasing=True)[:, 1:]
truth = np.sin(3.0 * x)
penalties = np.geomspace(1e-4, 1e2, 25)
fits = np.empty((200, len(penalties), len(x)))
for i in range(200):
    path = Ridge().path(columns, truth + 0.4 * rng.normal(size=len(x)), alphas=penalties)
    fits[i] = path.intercepts + np.einsum("kd,nd->kn", path.coefficients[:, :, 0], columns)

# %%
# With a growing penalty the fits differ less and less from each other, and more and more from the truth.
parts = {
    "bias²": np.mean((fits.mean(axis=0) - truth) ** 2, axis=1),
    "variance": np.mean(fits.var(axis=0), axis=1),
    "noise": np.full(len(penalties), 0.4**2),
}
parts["expected error"] = sum(parts.values())
table = pl.concat([pl.DataFrame({"penalty": penalties, "error": part, "part": name}) for name, part in parts.items()])
print(f"least expected error at penalty {penalties[np.argmin(parts['expected error'])]:.2g}")

# %%
# The best penalty is where their sum is least, not where either is.
chart = alt.Chart(table).mark_line(strokeWidth=2.5)
themed(
    chart.encode(
        x=alt.X("penalty:Q", scale=alt.Scale(type="log")),
        y=alt.Y("error:Q", title="mean squared error"),
        color=alt.Color("part:N", title=None, sort=list(parts)),
    ).properties(width=480, height=280)
)
