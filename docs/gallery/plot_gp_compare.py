"""
Which kernel? Ask the evidence
==============================

Four stories about the same few rows: a constant, a line, a rough function, a smooth one. The evidence weighs how well
each fits against how much else it could have fitted.
"""

import altair as alt
import numpy as np

import credo
from credo.kernels import RBF, Constant, Linear, Matern52
from credo.plots import themed

# %%
# Twenty rows that bend a little.
rng = np.random.default_rng(4)
x = np.sort(rng.uniform(-2.0, 2.0, 20))[:, None]
y = 0.8 * x[:, 0] + 0.5 * np.sin(2.0 * x[:, 0]) + 0.15 * rng.normal(size=20)
stories = {
    "constant": Constant(1.0),
    "linear": Constant(1.0) + Linear(),
    "Matérn-5/2": Constant(1.0) + Matern52(),
    "RBF": Constant(1.0) + RBF(),
}
fits = {name: credo.GPRegressor(kernel=kernel, random_state=0).fit(x, y) for name, kernel in stories.items()}

# %%
# The log evidence, split into how well the rows are met and what the flexibility costs, and the posterior probability
# of each story when all four were equally likely before.
evidence = np.array([gp.log_evidence_ for gp in fits.values()])
weight = np.exp(evidence - evidence.max())
weight /= weight.sum()
for (name, gp), share in zip(fits.items(), weight, strict=True):
    total, fit = gp.log_evidence_, gp.evidence_.fit
    print(f"{name:11s} log evidence {total:7.2f} = fit {fit:7.2f} + rest {total - fit:7.2f}   {share:5.1%}")

# %%
# What each expects, with its 90 % interval for a new observation.
grid = np.linspace(-3.0, 3.0, 120)[:, None]
panels = [
    credo.plot(
        gp.predict_dist(grid), grid[:, 0], (x[:, 0], y), title=f"{name}: {gp.log_evidence_:.1f}", theme=None
    ).properties(width=240, height=170)
    for name, gp in fits.items()
]
themed(alt.vconcat(alt.hconcat(*panels[:2]), alt.hconcat(*panels[2:])).resolve_scale(y="shared"))
