"""
Ridge, lasso and bridge along their penalty
===========================================

Three ways to make slopes pay for their size. Ridge shrinks all of them, the lasso sets some to zero, and a penalty with
a power below one sets more to zero while it leaves the large ones nearly alone.
"""

import altair as alt
from sklearn.datasets import load_diabetes

import credo
from credo.models import Bridge, Lasso, Ridge
from credo.plots import themed

# %%
# Ten measurements of 442 patients, in units of their standard deviation, and how their disease went on.
data = load_diabetes(as_frame=True, scaled=False)
X, y = (data.data - data.data.mean()) / data.data.std(), data.target

# %%
# Each path holds what speaks for its points: held-out error, AIC and BIC (the dashed rules).
models = {"ridge": Ridge(), "lasso": Lasso(), "bridge, q = 1/2": Bridge(q=0.5)}
paths = {name: model.path(X, y) for name, model in models.items()}
panels = [
    credo.plot(path, list(X), title=name, theme=None).properties(width=300, height=200) for name, path in paths.items()
]
themed(alt.vconcat(*panels).resolve_scale(color="independent"))

# %%
# What the lasso chose, how well it is certain to have solved its problem, and how many slopes are left.
lasso = Lasso().fit(X, y)
print(lasso.certificate_)
print({name: round(float(slope), 1) for name, slope in zip(X, lasso.coef_, strict=True) if slope})

# %%
# Its slopes are biased by design, so it refuses to give them standard errors, and offers those of others instead.
try:
    lasso.summary()
except credo.errors.UndefinedError as refusal:
    print(refusal)
print(lasso.summary(debias=True))
