"""
Thirty past runs, and the next three
====================================

A table of past runs of a reactor, a column of results, and the question that follows: what to run next? The space is
guessed from the columns, the three runs are chosen one after the other, each counting on those before it, and each
says why.
"""

from importlib.resources import files

import polars as pl

import credo

table = pl.read_csv(files("credo.app") / "data" / "runs.csv")
print(table.head(3))

# %%
# What was understood of the columns is shown, and can be changed by a space of one's own:
# ``space=Space.from_frame(table, "yield").with_(feed_rate=Real(0.5, 8))``.
study = credo.Study.from_data(table, "yield", direction="maximize", random_state=0)
print(study)

# %%
# Three runs for one day in the laboratory: each counts on those before it to come out as believed.
batch = study.ask_batch(3)
for trial in batch:
    print(", ".join(f"{name} {value:.3g}" for name, value in trial.params.items()))
    print("   ", trial.why)

# %%
# As a table to fill in, and to tell when the results are there: ``study.tell(trial, 71.3)``.
print(pl.DataFrame([{"number": trial.number, **trial.params, "yield": None} for trial in batch]))

# %%
# What is recommended today, with its interval.
print(study.recommend())

# %%
credo.plot(study, "contour", "temperature", "feed_rate")
