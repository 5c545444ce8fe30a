"""
How many clusters? Until none of them can be split
==================================================

More clusters always fit better. Whether they are there is another question: is a cluster more than one cloud of its own
size and shape? `choose_clusters` fits one cluster, then two, and so on, and compares each cluster with clouds that are
drawn with its own covariance. The first count of which no cluster can be split by more than chance is the answer.
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
# The separation of centroids, in units of the spread of rows towards the next centroid, beyond that of clouds without
# clusters. It peaks at the number of clusters; the tests decide whether the peak is more than chance.
rows = [
    {"clusters": int(k), "separation beyond a cloud": float(seen - bar), "rows": name}
    for name, answer in found.items()
    for k, seen, bar in zip(answer.counts, answer.separation, answer.reference, strict=True)
]
lines = alt.Chart(alt.Data(values=rows)).mark_line(point=True)
lines = lines.encode(x="clusters:O", y="separation beyond a cloud:Q", color="rows:N")
themed(lines.properties(width=420, height=260))
