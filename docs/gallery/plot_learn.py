"""
From a table to an answer
=========================

Four hundred patients, ten columns, and one question: how will the disease progress? `credo.learn` reads the table,
tries a few models from the simplest, judges them at rows they have not seen, and makes intervals that hold as often as
they say. What it found is said in words first.
"""

import polars as pl
from sklearn.datasets import load_diabetes

import credo

bunch = load_diabetes(as_frame=True, scaled=False)
table = pl.DataFrame({name: bunch.frame[name].to_numpy() for name in bunch.frame})
table = table.with_columns(pl.col("sex").replace_strict({1.0: "one", 2.0: "two"}))
learned = credo.learn(table, "target", scales={"target": "ratio"}, random_state=0)
print(learned)

# %%
# What was understood of the columns, and why. Whole numbers are guessed to be counts; a guess that is wrong is
# corrected, as that of the target above.
print(learned.table)

# %%
# The model goes on in one file, ``credo.save(learned.model, "model.credo")``. Each row gets its interval, and how much
# of its width more rows could remove.
print(learned.model.table(learned.frame[:3]))

# %%
# The promise was audited at rows that were held out, and the places were looked for where it fails.
print(learned.audit)

# %%
# What it goes by: a description of the model, not of what happens if somebody changes a column.
explanation = credo.decide.explain(learned, random_state=0)
credo.plot(explanation.importance)

# %%
# What was said of each patient by models that had not seen this patient.
credo.plot(learned)
