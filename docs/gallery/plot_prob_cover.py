"""
Ten labels, and where to spend them
===================================

A pool of digits without labels, and money for ten. At random, some digits come twice and others not at all. ProbCover
spends each label where most rows are near it that no label speaks for yet.
"""

import altair as alt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.manifold import Isomap
from sklearn.neighbors import KNeighborsClassifier

from credo.decide.pool import CoreSetSampler, ProbCover, RandomSampler
from credo.plots import themed

digits = load_digits()
places = Isomap(n_neighbors=12, n_components=8).fit_transform(digits.data)  # learnt without labels
order = np.random.default_rng(0).permutation(len(places))
pool, rest = order[:1200], order[1200:]

# %%
# Nobody says how far a label speaks. k-means gives pseudo-labels, and the radius is the largest at which nearly every
# ball holds one of them only.
cover = ProbCover(classes=10, random_state=0).ask(places[pool], 10)
print(f"delta = {cover.delta:.1f}: {cover.how}")
print(f"covered after 1, 5 and 10 labels: {cover.coverage[[0, 4, 9]].round(2)}")

# %%
# What ten labels are worth: the nearest label decides about digits that were not in the pool.
picks = {
    "ProbCover": cover.indices,
    "core-set": CoreSetSampler(random_state=0).ask(places[pool], 10).indices,
    "random": RandomSampler(random_state=0).ask(places[pool], 10).indices,
}
for name, rows in picks.items():
    nearest = KNeighborsClassifier(1).fit(places[pool[rows]], digits.target[pool[rows]])
    right = nearest.score(places[rest], digits.target[rest])
    print(f"{name}: {len(set(digits.target[pool[rows]]))} of 10 digits seen, {right:.0%} of the others right")

# %%
# One accident of chance is no comparison: the same over thirty draws of the pool.
shares = {name: [] for name in picks}
for seed in range(30):
    order = np.random.default_rng(seed).permutation(len(places))
    pool_, rest_ = order[:1200], order[1200:]
    samplers = {
        "ProbCover": ProbCover(classes=10, random_state=seed),
        "core-set": CoreSetSampler(random_state=seed),
        "random": RandomSampler(random_state=seed),
    }
    for name, sampler in samplers.items():
        rows = pool_[sampler.ask(places[pool_], 10).indices]
        nearest = KNeighborsClassifier(1).fit(places[rows], digits.target[rows])
        shares[name].append(nearest.score(places[rest_], digits.target[rest_]))
for name, share in shares.items():
    print(f"{name}: {np.mean(share):.1%} ± {np.std(share) / np.sqrt(30):.1%}")

# %%
# The picks on the first two of eight columns. Core-set goes to the rim, ProbCover to where the rows are.
points = alt.Chart(
    alt.Data(
        values=[
            {"x": float(x), "y": float(y), "digit": int(label)}
            for (x, y), label in zip(places[pool, :2], digits.target[pool], strict=True)
        ]
    )
)
axis = {"axis": alt.Axis(labels=False, ticks=False, grid=False), "title": None}
dots = points.mark_circle(size=14, opacity=0.45).encode(
    x=alt.X("x:Q", **axis),
    y=alt.Y("y:Q", **axis),
    color=alt.Color("digit:N", scale=alt.Scale(scheme="tableau10"), legend=alt.Legend(symbolOpacity=1)),
)


def panel(name):
    """The pool, and what was picked of it with its order."""
    chosen = places[pool[picks[name]], :2]
    rows = [{"x": float(x), "y": float(y), "order": k + 1} for k, (x, y) in enumerate(chosen)]
    marked = alt.Chart(alt.Data(values=rows)).encode(x="x:Q", y="y:Q")
    rings = marked.mark_circle(size=190, color="white", stroke="black", strokeWidth=1.2, opacity=0.9)
    return (dots + rings + marked.mark_text(fontSize=9, color="black").encode(text="order:O")).properties(
        width=250, height=250, title=name
    )


themed(alt.hconcat(*[panel(name) for name in picks]))
