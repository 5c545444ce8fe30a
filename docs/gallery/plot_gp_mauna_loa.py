"""
Trend and season: carbon dioxide on Mauna Loa
=============================================

A kernel that is a sum is a belief about functions that add up. Its terms can be asked for one by one: what of the curve
is trend, what is season.
"""

import altair as alt
import numpy as np
import statsmodels.api as sm

import credo
from credo.kernels import RBF, Matern32, Periodic
from credo.numerics import Fixed
from credo.plots import themed

# %%
# Monthly means, every other month, without the months in which nothing was measured.
weekly = sm.datasets.co2.load_pandas().data["co2"]
monthly = weekly.resample("MS").mean().dropna().iloc[::2]
year = (monthly.index.year + (monthly.index.month - 0.5) / 12.0).to_numpy()
ppm = monthly.to_numpy()
print(f"{len(ppm)} months from {year[0]:.0f} to {year[-1]:.0f}")

# %%
# Inputs stay in years: a period of one is then a year, and is known. A slow trend, a season whose shape changes over
# decades, and what is in between.
trend = RBF(variance=4.0, lengthscale=40.0)
season = Periodic(variance=0.1, lengthscale=1.0, period=Fixed(1.0)) * RBF(variance=Fixed(1.0), lengthscale=60.0)
medium = Matern32(variance=0.05, lengthscale=1.5)
center, spread = ppm.mean(), ppm.std()
gp = credo.GPRegressor(kernel=trend + season + medium, standardize=False, n_restarts=1, random_state=0)
gp.fit(year[:, None], (ppm - center) / spread)
print(gp.kernel_)
print(gp.certificate_)

# %%
# Each term on its own, in parts per million, with its 90 % interval.
grid = np.linspace(1958.0, 2012.0, 649)
rows = []
for name, part in zip(("trend", "season", "in between"), gp.decompose(grid[:, None]), strict=True):
    low, high = part.interval(0.9)
    shift = center if name == "trend" else 0.0
    for values in zip(grid, np.asarray(part.mean), np.asarray(low), np.asarray(high), strict=True):
        t, middle, below, above = (float(v) for v in values)
        rows.append(
            {
                "year": t,
                "part": name,
                "ppm": shift + spread * middle,
                "low": shift + spread * below,
                "high": shift + spread * above,
            }
        )

# %%
# The interval of the trend widens after 2001, where the data end; that of the season hardly does.
base = alt.Chart(alt.Data(values=rows)).encode(
    x=alt.X("year:Q", axis=alt.Axis(format="d"), scale=alt.Scale(zero=False))
)
band = base.mark_area(opacity=0.3).encode(y=alt.Y("low:Q", scale=alt.Scale(zero=False), title="ppm"), y2="high:Q")
line = base.mark_line().encode(y=alt.Y("ppm:Q", scale=alt.Scale(zero=False)))
panels = [
    (band + line).transform_filter(f"datum.part == '{name}'").properties(width=520, height=120, title=name)
    for name in ("trend", "season", "in between")
]
themed(alt.vconcat(*panels))
