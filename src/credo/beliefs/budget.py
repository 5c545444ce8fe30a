"""Where the variance of an answer comes from, and what to buy to make it smaller."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from credo.errors import InputError, UndefinedError

__all__ = ["UncertaintyBudget"]

_ADVICE = {
    "noise": "Mostly noise ({share:.0%}): more rows will not narrow this; "
    "repeat the measurement or measure more precisely.",
    "parameter": "Mostly what the model has not learnt yet ({share:.0%}): more rows near here narrow this.",
    "computation": "Mostly unfinished computation ({share:.0%}): more draws, nodes or particles narrow this, "
    "without new data.",
}
_UNGIVEN = "no model produced this belief, so its variance has no parts"


def _part(x: Any) -> Array | None:
    return None if x is None else jnp.asarray(x, dtype=jnp.float64)


class UncertaintyBudget(eqx.Module):
    r"""A split of the variance of a reported belief: $\operatorname{Var} y$ = noise + parameter + computation.

    `noise` is $\mathbb{E}\operatorname{Var}(y \mid f, \theta)$, which more data cannot remove; `parameter` is
    $\operatorname{Var}\mathbb{E}(y \mid f, \theta)$, which more data removes; `computation` is the variance that is
    included because computing was finite. The bias of an approximation is not variance: it belongs to the certificate.

    >>> UncertaintyBudget(noise=3.0, parameter=1.0).total.item()
    4.0
    """

    noise: Array | None = eqx.field(converter=_part, default=None)
    parameter: Array | None = eqx.field(converter=_part, default=None)
    computation: Array | None = eqx.field(converter=_part, default=None)
    reason: str = eqx.field(default="", static=True)

    def __post_init__(self) -> None:
        if self.reason:
            return
        if self.noise is None or self.parameter is None:
            raise InputError(
                "UncertaintyBudget",
                "noise or parameter is missing",
                "A split names both; a variance that cannot be split says why",
                "Try UncertaintyBudget.unsplit(reason)",
            )
        if self.computation is None:
            self.computation = jnp.zeros(())
        given = (self.noise, self.parameter, self.computation)  # as passed: the converters run after this method
        parts = [jnp.asarray(part, dtype=jnp.float64) for part in given]
        self.noise, self.parameter, self.computation = jnp.broadcast_arrays(*parts)

    @classmethod
    def unsplit(cls, reason: str = _UNGIVEN) -> "UncertaintyBudget":
        """The budget of a belief that has no honest split: infinite variance, conformal intervals, plug-in fits."""
        return cls(reason=reason)

    @property
    def is_split(self) -> bool:
        """Whether there are parts."""
        return not self.reason

    @property
    def total(self) -> Array:
        """The sum of the parts: the variance of the belief."""
        noise, parameter, computation = self._parts()
        return noise + parameter + computation

    def of_entries(self, entries: np.ndarray, shape: tuple[int, ...]) -> "UncertaintyBudget":
        """The budget of some entries of a vector, for a belief whose means have this `shape`.

        A part that was given once counts for every entry.

        >>> UncertaintyBudget(noise=[3.0, 5.0], parameter=1.0).of_entries(np.array([1]), (2,)).total.tolist()
        [6.0]
        """
        try:
            return jax.tree.map(lambda part: jnp.broadcast_to(part, shape)[..., entries], self)
        except ValueError as error:
            raise InputError(
                "UncertaintyBudget",
                f"its parts have shape {self.total.shape}, which does not fit means of shape {shape}",
                "The budget was made for other rows or entries",
                "Pass one part for each entry, or one for all",
            ) from error

    def shares(self) -> dict[str, Array]:
        """Each part as a fraction of the total, averaged over rows."""
        parts = dict(zip(_ADVICE, self._parts(), strict=True))
        total = self.total
        safe = jnp.where(total > 0, total, 1.0)
        return {name: jnp.mean(part / safe) for name, part in parts.items()}

    def advice(self) -> str:
        """Which purchase buys most, in one sentence."""
        if not self.is_split:
            return f"The variance is not split: {self.reason}."
        shares = self.shares()
        if not any(float(share) > 0 for share in shares.values()):
            return "There is no variance to make smaller."
        name = max(shares, key=lambda part: float(shares[part]))
        return _ADVICE[name].format(share=float(shares[name]))

    def _parts(self) -> tuple[Array, Array, Array]:
        if self.noise is None or self.parameter is None or self.computation is None:
            raise UndefinedError("UncertaintyBudget", f"the variance is not split: {self.reason}")
        return self.noise, self.parameter, self.computation

    def _rows(self) -> list[tuple[str, float, float]]:
        shares = self.shares()
        means = (float(np.mean(np.asarray(part))) for part in self._parts())
        return [(name, mean, float(shares[name])) for name, mean in zip(_ADVICE, means, strict=True)]

    def __str__(self) -> str:
        if not self.is_split:
            return f"uncertainty budget: not split ({self.reason})"
        rows = [f"  {name:<12} variance {mean:<10.4g} {share:6.1%}" for name, mean, share in self._rows()]
        return "\n".join(["uncertainty budget", *rows, f"  {self.advice()}"])

    def _repr_html_(self) -> str:
        if not self.is_split:
            from html import escape

            return f"<p>Uncertainty budget: not split ({escape(self.reason)})</p>"
        row = "<tr><td>{}</td><td>{:.4g}</td><td>{:.1%}</td></tr>"
        rows = "".join(row.format(*parts) for parts in self._rows())
        head = "<tr><th>part</th><th>variance</th><th>share</th></tr>"
        return f"<table><caption>Uncertainty budget</caption>{head}{rows}</table><p>{self.advice()}</p>"
