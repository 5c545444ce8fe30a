"""
Where a summary refuses, and why
================================

A table of standard errors is worth what its assumptions are worth. Where they fail for certain `summary()` refuses and
says what to do instead; where they fail by degrees it says so, and there is a correction.
"""

import warnings

import altair as alt
import numpy as np

from credo.errors import CredoError
from credo.models import LinearRegression, LogisticRegression
from credo.plots import themed

rng = np.random.default_rng(0)


def attempt(what, model, X, y):
    """The refusal, in the words of the model."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of separation the fit warns already
            answer = "; ".join(model.fit(X, y).summary().notes)
    except CredoError as refusal:
        answer = str(refusal)
    print(f"{what}\n  {answer}\n")


# %%
# A column that is the sum of two others: no data can tell the three slopes apart. More columns than rows: the line goes
# through every row, and nothing is left to measure the noise with.
X = rng.normal(size=(60, 3))
y = X @ [1.0, -1.0, 0.5] + rng.normal(size=60)
attempt("a column that is the sum of others", LinearRegression(), np.column_stack([X, X[:, 0] + X[:, 1]]), y)
attempt("more columns than rows", LinearRegression(), rng.normal(size=(20, 30)), rng.normal(size=20))

# %%
# A plane that separates the classes: the likelihood grows without end, and the slopes with it. A penalty: the slopes
# are biased on purpose, so that an interval around them would miss.
attempt("classes that a plane separates", LogisticRegression(), X, (X[:, 0] > 0.0).astype(int))
attempt("a penalized fit", LogisticRegression(ridge=1.0), X, (y > 0.0).astype(int))

# %%
# Many columns for the rows is a matter of degree: the likelihood has its maximum, but slopes are too far from zero, all
# by one factor (Sur & Candès 2019). The summary has a note; ``correction="many columns"`` takes the factor off.
n, signal, rows = 1000, 2.0, []
for share in (0.02, 0.06, 0.1, 0.14, 0.18):
    d = int(share * n)
    slopes = np.where(np.arange(d) < d // 2, 1.0, -1.0) * signal / np.sqrt(d)
    X = rng.normal(size=(n, d))
    y = (rng.random(n) < 1.0 / (1.0 + np.exp(-X @ slopes))).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression().fit(X, y)
        for name, options in {"maximum likelihood": {}, "corrected": {"correction": "many columns"}}.items():
            found = next(iter(model.summary(**options).tables.values())).values[-d:]
            rows.append({"columns / rows": share, "factor": float(found @ slopes / (slopes @ slopes)), "slopes": name})
attempt(f"{d} columns for {n} rows", LogisticRegression(), X, y)

# %%
# The factor by which slopes are too large, one simulated table a point: one is right.
lines = alt.Chart(alt.Data(values=rows)).mark_line(point=True)
lines = lines.encode(
    x="columns / rows:Q", y=alt.Y("factor:Q", scale=alt.Scale(zero=False), title="estimate / truth"), color="slopes:N"
)
right = alt.Chart(alt.Data(values=[{"factor": 1.0}])).mark_rule(strokeDash=[4, 4]).encode(y="factor:Q")
themed((lines + right).properties(width=420, height=260))
