"""What an evaluation says: every risk with its error, as a table, and what calibration and comparison need."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from credo.errors import InputError
from credo.numerics.certificate import Certificate
from credo.validate.plans import Plan
from credo.validate.predictions import Targets
from credo.validate.refit import Held, Refits
from credo.validate.risk import Claim, linearized, ratios

__all__ = ["Evaluated", "Evaluation"]


@dataclass(frozen=True)
class Evaluated:
    """One estimator: its claims by score (the one to report first), its refits, and what was said about held rows."""

    name: str
    claims: dict[str, tuple[Claim, ...]]
    lower: dict[str, bool]
    refits: Refits

    @property
    def held(self) -> Held:
        """What was said about each row by the first refit that held it out."""
        return self.refits.held

    def losses(self, score: str) -> Float[np.ndarray, " n"]:
        r"""The score at each row, averaged over the refits that held it out; NaN at rows that none did.

        Of a ratio of sums $r = \sum a_i / \sum b_i$, as precision is, what the row adds to it: $r + (a_i - r b_i)/
        \bar b$, whose mean is r (the delta method).
        """
        times = self.refits.times
        with np.errstate(invalid="ignore", divide="ignore"):
            return linearized(self.refits.tallies[score].rows / times)

    def by_refit(self, score: str) -> Float[np.ndarray, " b"]:
        """The score of each refit over the rows it held out."""
        return ratios(self.refits.tallies[score].refits)

    def compared_by_refit(self, score: str) -> Float[np.ndarray, " b"]:
        """The same; of a ratio what the refit adds to it, for one may have nothing to count."""
        both = self.refits.tallies[score].refits
        return ratios(both) if np.array_equal(both[1], self.refits.held_sizes) else linearized(both)


@dataclass(frozen=True)
class Evaluation:
    """Risks of one or more estimators, from the same refit plan.

    ``evaluation["name"]`` is one of them. `units` are the groups of rows, where there are some. Print it for a table,
    `to_polars` for a frame, `credo.plot` for a picture.
    """

    refit_plan: Plan
    results: dict[str, Evaluated]
    targets: Targets
    certificate: Certificate
    units: Int[np.ndarray, " n"] | None = None

    @property
    def plan(self) -> str:
        """The name of the plan."""
        return self.refit_plan.name

    def __getitem__(self, name: str) -> Evaluated:
        if name not in self.results:
            raise InputError(
                "Evaluation", f"no estimator is named {name!r}", "", f"Names are: {', '.join(self.results)}"
            )
        return self.results[name]

    def one(self, name: str | None = None) -> Evaluated:
        """The estimator of this name, or the first."""
        return self[next(iter(self.results)) if name is None else name]

    def claim(self, score: str, name: str | None = None) -> Claim:
        """The estimate to report of a score, of an estimator, which need not be named where there is one."""
        if name is None and len(self.results) > 1:
            raise InputError("Evaluation", f"{len(self.results)} estimators and no name", "", "Pass name=")
        result = self.one(name)
        if score not in result.claims:
            known = ", ".join(result.claims)
            raise InputError("Evaluation", f"no score {score!r}", "It was not asked for", f"Scores are: {known}")
        return result.claims[score][0]

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One for each estimator, score and estimate."""
        table = []
        for name, result in self.results.items():
            for score, claims in result.claims.items():
                for claim in claims:
                    low, high = claim.interval(level)
                    table.append(
                        {
                            "estimator": name,
                            "score": score,
                            "estimate": claim.kind,
                            "value": claim.value,
                            "standard error": claim.standard_error,
                            "low": low,
                            "high": high,
                        }
                    )
        return table

    def to_polars(self, level: float = 0.95) -> Any:
        """The table as a Polars frame, with intervals of `level`."""
        import polars as pl

        return pl.DataFrame(self.rows(level))

    def __str__(self) -> str:
        body = [[f"{cell:.4g}" if isinstance(cell, float) else cell for cell in row.values()] for row in self.rows()]
        table = [["estimator", "score", "estimate", "value", "std error", "2.5 %", "97.5 %"], *body]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        lines = ["  ".join([*map(str.ljust, row[:3], widths), *map(str.rjust, row[3:], widths[3:])]) for row in table]
        claims = (claim for result in self.results.values() for several in result.claims.values() for claim in several)
        notes = dict.fromkeys(claim.note for claim in claims)
        return "\n".join([f"Evaluation by {self.plan} of {len(self.targets)} rows", "", *lines, "", *notes])
