"""
How many clusters? As many as two samples agree on
==================================================

More clusters always fit better. Whether they are there is another question: do two halves of the rows find the same
ones? Posterior agreement measures, in nats a row, how much of what is found in one half is found in the other
(Buhmann 2010). A cloud without clusters agrees with itself by chance too, so that is the bar to clear.
"""

import altair as alt
import numpy as np

from credo.plots import themed
from credo.validate import choose_clusters

rng = np.random.default_rng(0)
centers = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0]])
clusters = centers[rng.integers(4, size=240)] + rng.normal(size=(240, 2))
cloud = rng.normal(size=(240, 2)) @ [[3.0, 1.0], [0.0, 1.5]]

# %%
# Four clusters are found as four, and one cloud as one.
found = {
    "four clusters": choose_clusters(clusters, random_state=0),
    "one cloud": choose_clusters(cloud, random_state=0),
}
for name, answer in found.items():
    print(f"{name}: {answer}\n")

# %%
# What the halves share beyond a cloud of the same size and shape: its peak is the number of clusters.
rows = [
    {"clusters": int(k), "nats a row beyond a cloud": float(share - bar), "rows": name}
    for name, answer in found.items()
    for k, share, bar in zip(answer.counts, answer.information, answer.reference, strict=True)
]
lines = alt.Chart(alt.Data(values=rows)).mark_line(point=True)
lines = lines.encode(x="clusters:O", y="nats a row beyond a cloud:Q", color="rows:N")
themed(lines.properties(width=420, height=260))
