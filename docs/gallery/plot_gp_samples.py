"""
Functions before and after the data
===================================

A Gaussian process is a belief over functions. Draws from it show what it takes for granted before the data (smoothness,
scale) and what is left open after them.
"""

import altair as alt
import numpy as np

import credo
from credo.plots import themed

# %%
# Nine measurements of a function, with a gap in the middle.
rng = np.random.default_rng(1)
x = np.concatenate([np.linspace(0.0, 3.0, 5), np.linspace(7.0, 10.0, 4)])
y = np.sin(x) + 0.1 * rng.normal(size=x.size)
gp = credo.GPRegressor(random_state=0).fit(x[:, None], y)
print(gp.kernel_)
print(gp.certificate_)

# %%
# Draws of the function at many points together. Before the data they cross everywhere; after them they agree where
# there are measurements and spread in the gap.
grid = np.linspace(-1.0, 11.0, 160)
draws = {
    "before": gp.sample_prior(grid[:, None], 6, random_state=2),
    "after": gp.sample(grid[:, None], 6, random_state=2),
}
rows = [
    {"x": float(a), "f": float(b), "draw": i, "when": when}
    for when, values in draws.items()
    for i, line in enumerate(values)
    for a, b in zip(grid, line, strict=True)
]
lines = (
    alt.Chart(alt.Data(values=rows))
    .mark_line(opacity=0.7)
    .encode(x="x:Q", y="f:Q", detail="draw:N", color=alt.Color("when:N", legend=None))
)
measured = [{"x": float(a), "f": float(b)} for a, b in zip(x, y, strict=True)]
points = alt.Chart(alt.Data(values=measured)).mark_circle(size=50, color="black").encode(x="x:Q", y="f:Q")
before = lines.transform_filter("datum.when == 'before'").properties(width=280, height=240, title="before the data")
after = (lines.transform_filter("datum.when == 'after'") + points).properties(width=280, height=240, title="after")
themed(alt.hconcat(before, after).resolve_scale(y="shared"))
