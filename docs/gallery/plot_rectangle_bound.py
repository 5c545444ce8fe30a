"""
A guarantee and what happens
============================

The concept is a box; the learner takes the smallest box around the positive rows. With $n \\ge \\frac{2d}\\varepsilon
\\log\\frac{2d}\\delta$ rows its error is at most ε with probability 1 − δ, for whatever distribution the rows come from
(Kearns & Vazirani 1994, §1.1). Here it is some two to three times what happens; the bound by the VC dimension alone,
which knows nothing of the learner, is ten times as far.
"""

import altair as alt
import numpy as np

from credo.models import RectangleLearner
from credo.plots import themed
from credo.validate import bounds

rng = np.random.default_rng(0)
low, high, delta = np.array([0.2, 0.3]), np.array([0.7, 0.9]), 0.05
bound = bounds.TightestRectangle(2)
new = rng.random((4000, 2))
truth = np.all((new >= low) & (new <= high), axis=1)

# %%
# For each number of rows, 200 samples, and the error that all but 5 % of them stay below.
rows = []
for n in (50, 100, 200, 400, 800, 1600):
    errors = []
    for _ in range(200):
        X = rng.random((n, 2))
        inside = np.all((X >= low) & (X <= high), axis=1)
        learned = RectangleLearner(positive=True).fit(X, inside)
        errors.append(np.mean(learned.predict(new) != truth))
    rows.append({"rows": n, "error": float(np.quantile(errors, 1.0 - delta)), "of": "19 of 20 samples"})
    rows.append({"rows": n, "error": min(float(bound.error(n, delta)), 1.0), "of": "guaranteed: boxes"})
    rows.append(
        {
            "rows": n,
            "error": min(float(bounds.rectangles(2, realizable=True).error(n, delta)), 1.0),
            "of": "guaranteed: VC",
        }
    )
print(f"for an error of 5 %, {int(bound.rows(0.05, delta))} rows are guaranteed to be enough")

# %%
# On logarithmic scales all fall as 1/n, up to logarithms; the distance between them is the price of knowing nothing.
lines = alt.Chart(alt.Data(values=rows)).mark_line(point=True)
lines = lines.encode(
    x=alt.X("rows:Q", scale=alt.Scale(type="log", nice=False)),
    y=alt.Y("error:Q", scale=alt.Scale(type="log")),
    color="of:N",
)
themed(lines.properties(width=420, height=280))
