"""
The evidence, its surface and its optima
========================================

The evidence of a Gaussian process can have several optima: one tells a smooth story with much noise, another a wiggly
story with little. A search from several starts finds both, and says so.
"""

import altair as alt
import numpy as np

import credo
from credo.kernels import RBF
from credo.plots import themed

# %%
# Eight measurements that allow two stories.
x = np.array([-3.56, -1.88, -0.91, -0.77, 0.12, 3.28, 4.49, 4.50])[:, None]
y = np.array([0.37, 0.38, 0.22, 0.29, -0.20, -0.17, -0.50, -0.41])
gp = credo.GPRegressor(kernel=RBF(), inference="ml", n_restarts=12, random_state=0).fit(x, y)
for optimum in gp.optima_:
    scale, noise = float(optimum.process.kernel.lengthscale), float(optimum.process.noise.level)
    print(f"log evidence {optimum.objective:7.3f} at length-scale {scale:.3g} and noise variance {noise:.3g}")

# %%
# The surface over length-scale and noise, at the variance of the best story: the log evidence of the same rows at given
# values.
signal = float(gp.kernel_.variance)
scales, noises = np.geomspace(0.05, 20.0, 28), np.geomspace(0.003, 3.0, 24)
surface = [
    {
        "length-scale": scale,
        "noise variance": noise,
        "log evidence": credo.GPRegressor(
            kernel=RBF(variance=signal, lengthscale=scale), noise_variance=noise, inference=None
        )
        .fit(x, y)
        .log_evidence_,
    }
    for scale in scales
    for noise in noises
]
best = max(row["log evidence"] for row in surface)
shown = [row | {"log evidence": max(row["log evidence"], best - 6.0)} for row in surface]

# %%
# Bright is likely. The crosses are the optima of the search.
log = alt.Scale(type="log", nice=False)
ground = (
    alt.Chart(alt.Data(values=shown))
    .mark_square(size=150, opacity=1)
    .encode(
        x=alt.X("length-scale:Q", scale=log),
        y=alt.Y("noise variance:Q", scale=log),
        color=alt.Color("log evidence:Q", scale=alt.Scale(scheme="viridis")),
    )
)
found = [
    {"length-scale": float(o.process.kernel.lengthscale), "noise variance": float(o.process.noise.level)}
    for o in gp.optima_
]
inside = [o for o in found if 0.05 < o["length-scale"] < 20.0 and 0.003 < o["noise variance"] < 3.0]
crosses = (
    alt.Chart(alt.Data(values=inside))
    .mark_point(shape="cross", size=160, color="white", filled=True)
    .encode(x=alt.X("length-scale:Q", scale=log), y=alt.Y("noise variance:Q", scale=log))
)
themed(ground + crosses)
