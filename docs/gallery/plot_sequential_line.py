"""
A line that learns row by row
=============================

Bayesian linear regression takes rows as they come. Its belief after each is exactly the one it would have had from all
of them at once, and the interval shows what is still unknown.
"""

import altair as alt
import numpy as np

import credo
from credo.models import BayesianLinearRegression
from credo.plots import themed

# %%
# The truth is a line with noise. We look at the belief after 3, 6, 12 and 48 rows.
rng = np.random.default_rng(1)
x = rng.uniform(-1.0, 1.0, 48)
y = 0.5 - 1.2 * x + 0.3 * rng.normal(size=48)
grid = np.linspace(-1.5, 1.5, 60)

# %%
# `partial_fit` adds rows; nothing that was seen is kept but its sums.
model, panels, seen = BayesianLinearRegression(), [], 0
for count in (3, 6, 12, 48):
    model.partial_fit(x[seen:count, None], y[seen:count])
    seen = count
    belief = model.predict_dist(grid[:, None])
    chart = credo.plot(belief, grid, (x[:count], y[:count]), title=f"{count} rows", theme=None)
    panels.append(chart.properties(width=250, height=170))
    print(f"{count:2d} rows: width of the 90 % interval at x = 1 is {np.diff(belief[50].interval(0.9))[0]:.2f}")

# %%
# With few rows the slope is open, so the band opens away from them; with many only the noise is left.
themed(alt.vconcat(alt.hconcat(*panels[:2]), alt.hconcat(*panels[2:])).resolve_scale(y="shared"))

# %%
# The same posterior as from all rows at once.
at_once = BayesianLinearRegression().fit(x[:, None], y)
print(np.max(np.abs(at_once.predict(grid[:, None]) - model.predict(grid[:, None]))) < 1e-10)
