"""
Caught, located, repaired
=========================

A line with one noise for all rows, fitted to a furnace that is loud when it is hot. Over all rows its intervals look
nearly right. An audit says that they are not, a map where, and a conformal wrapper repairs what is promised there.
"""

import altair as alt
import numpy as np
import polars as pl

import credo
from credo.models import LinearRegression
from credo.plots import themed
from credo.validate import ConformalRegressor

rng = np.random.default_rng(0)
frame = pl.DataFrame({"temperature": rng.uniform(20.0, 300.0, size=800), "flow": rng.normal(size=800)})
hot = frame["temperature"].to_numpy() > 180.0
output = (
    0.1 * frame["temperature"].to_numpy() + frame["flow"].to_numpy() + rng.normal(size=800) * np.where(hot, 6.0, 1.5)
)

# %%
# The audit cross-fits: every row is judged by a model that has not seen it. A tree on one half of the rows looks for
# places where the promise fails, and the other half judges them.
verdict = credo.audit(LinearRegression(), frame, output)
print(verdict)

# %%
# A conformal wrapper needs no right model. With groups, here hot and cold, its guarantee holds in each of them.
learn, test = np.arange(800) < 500, np.arange(800) >= 500
groups = np.where(hot, "hot", "cold")
wrapped = ConformalRegressor(estimator=LinearRegression(), method="split", random_state=0)
wrapped.fit(frame.filter(learn), output[learn], groups=groups[learn])
plain = LinearRegression().fit(frame.filter(learn), output[learn])
print(wrapped.certificate_)

rows = []
for name, (low, high) in {
    "the line": plain.predict_interval(frame.filter(test), 0.9),
    "conformal by group": wrapped.predict_interval(frame.filter(test), 0.9, groups=groups[test]),
}.items():
    inside = (low <= output[test]) & (output[test] <= high)
    for place in ("cold", "hot"):
        there = groups[test] == place
        share = float(np.mean(inside[there]))
        error = float(np.sqrt(share * (1.0 - share) / np.sum(there)))
        rows.append(
            {"model": name, "furnace": place, "held": share, "low": share - 2 * error, "high": share + 2 * error}
        )

# %%
# How often 90 % intervals held on 300 new rows, with two standard errors: the line is timid where it is cold and
# overconfident where it is hot.
base = alt.Chart(alt.Data(values=rows))
bars = base.mark_rule(strokeWidth=2.5).encode(
    y=alt.Y("low:Q", title="held", scale=alt.Scale(domain=[0.6, 1.02])),
    y2="high:Q",
    x="furnace:N",
    color="model:N",
    xOffset="model:N",
)
points = base.mark_point(filled=True, size=90).encode(y="held:Q", x="furnace:N", color="model:N", xOffset="model:N")
promised = alt.Chart(alt.Data(values=[{"held": 0.9}])).mark_rule(strokeDash=[4, 4]).encode(y="held:Q")
themed((bars + points + promised).properties(width=320, height=260))
