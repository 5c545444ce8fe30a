"""
Learning what one wants to know
===============================

A river is to be known downstream, where nobody can measure. Sampling where the model is least sure spreads over the
whole stretch that can be reached. Directed at the targets, the same number of measurements goes where it tells most
about them.
"""

import altair as alt
import numpy as np

from credo.decide.explore import Explorer
from credo.kernels import Matern52
from credo.models import GPRegressor
from credo.plots import themed

# %%
# A process over a square, known at six places. Measurements are possible in the left part; the targets lie to the
# right of it.
rng = np.random.default_rng(0)
known = rng.random((6, 2)) * [0.7, 1.0]
kernel = Matern52(lengthscale=np.array([0.4, 0.25]))
model = GPRegressor(kernel=kernel, noise_variance=0.01, inference=None, standardize=False)
model.fit(known, np.sin(5.0 * known[:, 0]) + known[:, 1])
candidates = rng.random((600, 2)) * [0.7, 1.0]
targets = rng.random((80, 2)) * [0.2, 0.35] + [0.75, 0.55]

# %%
# Information about the targets (ITL), the variance left there (VTL), and information about everything, as uncertainty
# sampling has it. Batches are greedy and need no refits: where one measures, not what comes out, decides what is left.
picked = {
    "ITL": Explorer(model, targets=targets, candidates=candidates).ask(12),
    "VTL": Explorer(model, targets=targets, candidates=candidates, criterion="vtl").ask(12),
    "undirected": Explorer(model, candidates=candidates).ask(12),
}
print(picked["ITL"].reasons[0])


def left_on_targets(rows: np.ndarray) -> float:
    """The variance on the targets once these rows are measured."""
    more = GPRegressor(kernel=kernel, noise_variance=0.01, inference=None, standardize=False)
    more.fit(np.vstack([known, rows]), np.zeros(len(known) + len(rows)))
    return float(np.mean(more.posterior(targets).variance))


curves = [
    {"measurements": n, "variance on the targets": left_on_targets(batch.rows[:n]), "by": name}
    for name, batch in picked.items()
    for n in range(13)
]

# %%
# The first places that each picks, and the variance that is left on the targets.
places = [{"x": float(x), "y": float(y), "by": name} for name in ("ITL", "undirected") for x, y in picked[name].rows]
region = alt.Chart(alt.Data(values=[{"x": float(x), "y": float(y)} for x, y in targets]))
scale = alt.Scale(domain=[0.0, 1.0])
wanted = region.mark_point(shape="cross", color="gray", opacity=0.5, size=20).encode(
    x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=scale)
)
before = alt.Chart(alt.Data(values=[{"x": float(x), "y": float(y)} for x, y in known]))
measured = before.mark_circle(size=40, color="black").encode(x="x:Q", y="y:Q")
chosen = alt.Chart(alt.Data(values=places)).mark_point(filled=True, size=90).encode(x="x:Q", y="y:Q", color="by:N")
lines = (
    alt.Chart(alt.Data(values=curves))
    .mark_line(point=True)
    .encode(x="measurements:Q", y=alt.Y("variance on the targets:Q", scale=alt.Scale(zero=True)), color="by:N")
)
themed(
    alt.hconcat(
        (wanted + measured + chosen).properties(width=280, height=260, title="picked (targets are crosses)"),
        lines.properties(width=280, height=260, title="what is left to know"),
    )
)
