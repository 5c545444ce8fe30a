"""The end-to-end example of `credo demo`: read a table, fit, interval, budget, audit, picture, file."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

import credo

__all__ = ["run_demo"]


def run_demo(output: Path) -> Iterator[str]:
    """Do the example and tell, line by line, what was done; the picture and the model go to `output`."""
    from credo.app.example import EXAMPLE_TARGET, example_table
    from credo.plots import save_chart

    output.mkdir(parents=True, exist_ok=True)
    table = example_table().frame
    X, y = table.drop(EXAMPLE_TARGET), table[EXAMPLE_TARGET]
    yield f"Read {table.height} past runs with the columns {', '.join(X.columns)} and the result {EXAMPLE_TARGET!r}."

    model = credo.BayesianLinearRegression().fit(X, y)
    yield f"Fitted {type(model).__name__}: {model.certificate_}."
    slopes = ", ".join(f"{name} {slope:+.3g}" for name, slope in zip(X.columns, model.coef_, strict=True))
    yield f"One unit more of a column changes {EXAMPLE_TARGET} by: {slopes}."

    new = pl.DataFrame({name: [X[name].median()] for name in X.columns})
    belief = model.predict_dist(new)
    mean, (low, high) = belief.mean.item(), (end.item() for end in belief.interval(0.9))
    yield f"A run at the median settings gives {mean:.1f}, between {low:.1f} and {high:.1f} with 90 %."
    yield str(belief.budget)

    yield f"Audit of the intervals, cross-fitted: {credo.audit(model, X, y)}"

    picture, file = output / "runs.png", output / "runs.credo"
    save_chart(credo.plot(model, X, y), picture)
    credo.save(model, file)
    again = credo.load(file).predict(new)[0]
    yield f"Wrote the picture {picture} and the model {file}, which loads and predicts {again:.1f} again."
