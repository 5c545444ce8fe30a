"""
A safe set that grows
=====================

A reactor is to give as much as it can, and its temperature must stay below 80 degrees: at every run, not only at the
end. One setting is known to be safe. From there a safe study learns where else it may go, and goes only where it is
safe with probability 95 %.
"""

import altair as alt
import numpy as np

from credo.decide.safe import SafeStudy
from credo.plots import themed
from credo.represent import Real, Space

# %%
# What nobody knows: the yield grows with the feed and has a ridge in the pressure, and so does the temperature.
space = Space({"feed": Real(0, 5), "pressure": Real(1, 9)})


def temperature(feed, pressure):
    return 40.0 + 11.0 * feed + 6.0 * np.sin(1.1 * pressure) * feed**0.5


def run(point):
    feed, pressure = point["feed"], point["pressure"]
    gain = 3.0 * feed - 0.15 * feed**2 - 0.12 * (pressure - 5.2) ** 2
    return {"value": gain, "temperature": temperature(feed, pressure)}


# %%
# The study asks for one run after the other, each with its reason. Pictures are taken on the way: which settings are
# safe with the promised probability.
study = SafeStudy(
    space,
    safety=["temperature <= 80"],
    seeds=[{"feed": 0.5, "pressure": 3.0}],
    direction="maximize",
    random_state=0,
)
feeds, pressures = np.linspace(0.0, 5.0, 34), np.linspace(1.0, 9.0, 34)
grid = [{"feed": float(a), "pressure": float(b)} for a in feeds for b in pressures]
shots, dots = [], []
for number in range(1, 25):
    trial = study.ask()
    study.tell(trial, run(trial.params))
    if number in (2, 6, 12, 24):
        safe = study.safe_probability(grid) >= 0.95
        shots += [
            {**point, "known": "safe" if is_safe else "not known", "runs": number}
            for point, is_safe in zip(grid, safe, strict=True)
        ]
        dots += [{**t.params, "runs": number} for t in study.trials]
print(study.trials[5].why)
print(study.best.params, study.best.values)
print(f"hottest run: {max(t.values['temperature'] for t in study.trials):.1f} degrees")

# %%
# The safe set after 2, 6, 12 and 24 runs, with the runs so far. Beyond the line it is too hot. Each run was promised to
# be safe with probability 95 %, so that one of twenty may be a little too hot: ask for 99 % where that is too much.
edge = []
for pressure in np.linspace(1.0, 9.0, 60):
    hot = [feed for feed in np.linspace(0.0, 5.0, 400) if temperature(feed, pressure) > 80.0]
    edge.append({"pressure": float(pressure), "feed": float(hot[0]) if hot else 5.0})
x = alt.X("feed:Q", scale=alt.Scale(domain=[0.0, 5.0], nice=False))
y = alt.Y("pressure:Q", scale=alt.Scale(domain=[1.0, 9.0], nice=False, zero=False))
colors = alt.Scale(domain=["safe", "not known"], range=["#9fd3a8", "#eeeeee"])


def after(number: int) -> alt.LayerChart:
    """The picture after so many runs."""
    cells = alt.Chart(alt.Data(values=[row for row in shots if row["runs"] == number]))
    known = cells.mark_square(size=46, opacity=1.0).encode(
        x=x, y=y, color=alt.Color("known:N", scale=colors, title=None)
    )
    line = alt.Chart(alt.Data(values=edge)).mark_line(color="firebrick").encode(x=x, y=y, order="pressure:Q")
    runs = alt.Chart(alt.Data(values=[row for row in dots if row["runs"] == number]))
    points = runs.mark_circle(size=36, color="black", opacity=0.9).encode(x=x, y=y)
    return (known + line + points).properties(width=230, height=200, title=f"after {number} runs")


themed(alt.vconcat(alt.hconcat(after(2), after(6)), alt.hconcat(after(12), after(24))))
