r"""Estimates of risk from the sums of refits, each with its standard error and with what that means.

The bootstrap estimates are those of Efron & Tibshirani (1997): out of bag, .632, .632+, and the apparent error plus its
optimism (Efron 1983). Their standard error is the delta method's after the bootstrap, from the same refits.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import special

from credo.validate.refit import Refits
from credo.validate.tally import Tally

__all__ = ["Apparent", "Claim", "bootstrap_claims", "held_out_claim", "out_of_bag", "split_claim"]

_SHARE = 0.632  # of the rows that a sample with replacement holds, 1 − 1/e, in the digits of the name
_OF_FOLDS = (
    "standard error of the rows as if independent: it leaves out that refits share rows, and is mostly too small; "
    "plan='10x nested 5-fold' measures it"
)
_OF_HELD = "standard error of the rows that were held out; of this fit, not of others to new data"
_OF_SPLITS = "standard error of repeated splits that share rows, corrected (Nadeau & Bengio 2003)"
_OF_BAG = "standard error by the delta method after the bootstrap (Efron & Tibshirani 1997)"
_SCALED = "standard error of the out-of-bag estimate, scaled"
_AS_OUT = "standard error of the out-of-bag estimate"


class Claim(NamedTuple):
    """An estimate of a risk, what kind, its standard error, and what that covers.

    `span` is the least and the most that the risk can be, and `trials` how many rows it is a share of, where it is one.
    """

    kind: str
    value: float
    standard_error: float
    note: str
    span: tuple[float, float] = (-np.inf, np.inf)
    trials: float | None = None

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """``(low, high)``, by the normal distribution inside the span; of a share Wilson's, which is never empty.

        Wilson's (1927) takes as many independent rows as have the variance of the standard error.
        """
        z = float(special.ndtri(0.5 + 0.5 * level))
        if not np.isfinite(self.standard_error) or not np.isfinite(self.value):
            return self.span
        if self.trials:
            return self._of_a_share(z)
        reach = z * self.standard_error
        return max(self.value - reach, self.span[0]), min(self.value + reach, self.span[1])

    def _of_a_share(self, z: float) -> tuple[float, float]:
        p, variance = self.value, self.value * (1.0 - self.value)
        rows = variance / self.standard_error**2 if variance > 0.0 and self.standard_error else float(self.trials or 1)
        center, shrunk = p + z**2 / (2.0 * rows), 1.0 + z**2 / rows
        reach = z * np.sqrt(max(variance, 0.0) / rows + z**2 / (4.0 * rows**2))
        return max(float((center - reach) / shrunk), 0.0), min(float((center + reach) / shrunk), 1.0)

    def within(self, span: tuple[float, float], trials: float) -> "Claim":
        """The claim, of a score that has this span; a share of so many rows is one of them where it ends at one.

        A share of none or all of the rows has a standard error of zero by the usual formula, which is a false
        certainty: it gets that of one row more on either side, (x + 1)/(n + 2).
        """
        value = min(max(self.value, span[0]), span[1])
        if span != (0.0, 1.0) or not trials:
            return self._replace(value=value, span=span)
        error = self.standard_error
        if value in span:
            p = (value * trials + 1.0) / (trials + 2.0)
            error = max(error, float(np.sqrt(p * (1.0 - p) / (trials + 2.0))))
        return self._replace(value=value, standard_error=error, span=span, trials=trials)


class Apparent(NamedTuple):
    """Of the fit to all rows: its score on them, and what it would be if predictions knew nothing."""

    value: float
    no_information: float


def ratio(above: float, below: float) -> float:
    """Σa/Σb; zero where nothing was there to count, as precision without a positive."""
    return above / below if below else 0.0


def ratios(both: Float[np.ndarray, "2 b"]) -> Float[np.ndarray, " b"]:
    """The same of many pairs of sums."""
    return np.divide(both[0], both[1], out=np.zeros(both.shape[1]), where=both[1] != 0.0)


def linearized(both: Float[np.ndarray, "2 n"]) -> Float[np.ndarray, " n"]:
    """What each row, or refit, adds to Σa/Σb: a number whose mean is that ratio. Where all b are one, a itself."""
    above, below = both
    if np.all((below == 1.0) | np.isnan(below)):
        return above
    r = ratio(float(np.nansum(above)), float(np.nansum(below)))
    return r + (above - r * below) / (float(np.nanmean(below)) or 1.0)


def row_error(above: np.ndarray, below: np.ndarray) -> float:
    """The standard error of Σa/Σb over independent rows; infinite where a loss is."""
    r = ratio(float(np.sum(above)), float(np.sum(below)))
    if not np.isfinite(r) or len(above) < 2 or not np.sum(below):
        return np.inf
    residuals = above - r * below  # whose sum is zero
    unit = float(np.max(np.abs(residuals))) or 1.0  # squares of losses may be more than a number can be, or less
    spread = unit * np.sqrt(len(above) / (len(above) - 1.0) * np.sum((residuals / unit) ** 2))
    return float(spread / np.sum(below))


def held_out_claim(tally: Tally, refits: Refits, *, folds: bool, kind: str) -> Claim:
    """The mean over rows that were held out, once or (then averaged) more often."""
    there = refits.times > 0
    above, below = tally.rows[:, there] / refits.times[there]
    value = ratio(float(np.sum(above)), float(np.sum(below)))
    return Claim(kind, value, row_error(above, below), _OF_FOLDS if folds else _OF_HELD)


def split_claim(tally: Tally, refits: Refits) -> Claim:
    """The mean over splits that are not folds of each other."""
    values = ratios(tally.refits)
    if len(values) < 2 or not np.all(np.isfinite(values)):
        return held_out_claim(tally, refits, folds=False, kind="held out")
    share = float(np.mean(refits.held_sizes / refits.train_sizes))
    error = float(np.sqrt((1.0 / len(values) + share) * np.var(values, ddof=1)))
    return Claim("held out", float(np.mean(values)), error, _OF_SPLITS)


def bootstrap_claims(
    tally: Tally, refits: Refits, apparent: Apparent, *, lower: bool, signed: bool = False
) -> tuple[Claim, ...]:
    r""".632+ first, then .632, out of bag, and corrected by the optimism.

    With $\hat e$ the apparent score and $\hat E$ the one out of bag, .632 is $.368\,\hat e + .632\,\hat E$; .632+ leans
    further to $\hat E$ the more the fit has overfitted, relative to a score of no information. Their standard errors
    are that of $\hat E$, in proportion to the values; as it is for a score of either sign, whose zero depends on units.
    """
    out = out_of_bag(tally, refits)
    values = {
        ".632+": _plus(apparent, out.value, lower=lower),
        ".632": (1.0 - _SHARE) * apparent.value + _SHARE * out.value,
        "optimism-corrected": apparent.value + _optimism(tally),
    }
    scale = {kind: abs(value / out.value) if out.value and not signed else 1.0 for kind, value in values.items()}
    note = _AS_OUT if signed else _SCALED
    return (*(Claim(kind, value, scale[kind] * out.standard_error, note) for kind, value in values.items()), out)


def _plus(apparent: Apparent, out: float, *, lower: bool) -> float:
    """.632+ with capped rates; for scores of which more is better with all signs turned."""
    sign = 1.0 if lower else -1.0
    e, gamma, held = sign * apparent.value, sign * apparent.no_information, sign * out
    capped = min(held, gamma)
    overfit = (held - e) / (gamma - e) if min(held, gamma) > e else 0.0
    overfit = min(overfit, 1.0)
    plain = (1.0 - _SHARE) * e + _SHARE * held
    further = (capped - e) * _SHARE * (1.0 - _SHARE) * overfit / (1.0 - (1.0 - _SHARE) * overfit)
    return sign * (plain + further)


def _optimism(tally: Tally) -> float:
    """How much worse the refits do on all rows than on their own samples, on average."""
    return float(np.mean(ratios(tally.everywhere) - ratios(tally.inside)))


def out_of_bag(tally: Tally, refits: Refits) -> Claim:
    r"""The leave-one-out bootstrap: at each row the mean over the refits that did not draw it, then over rows.

    Its standard error is $\sqrt{\sum_i D_i^2}$ with $D_i = (2 + 1/(n-1))(\hat E_i - \hat E)/n + e_n\,
    \mathrm{Cov}_b(N_{bi}, q_b)$, $q_b$ the sum of refit b's losses out of bag over n, $e_n = (1 - 1/n)^{-n}$
    (Efron & Tibshirani 1997), less what the noise of finitely many refits adds (Wager, Hastie & Efron 2014);
    never below that of independent rows.
    """
    n, count = len(refits.times), tally.refits.shape[1]
    there = refits.times > 0
    above, below = tally.rows[:, there] / refits.times[there]
    value = ratio(float(np.sum(above)), float(np.sum(below)))
    if not np.isfinite(value) or not np.sum(below):
        return Claim("out of bag", value, np.inf, _OF_BAG)
    own = np.zeros(n)
    own[there] = above - value * below
    # q_b and its covariance with how often each row was drawn, both of a − r b, which is linear in the sums.
    each = (tally.refits[0] - value * tally.refits[1]) / n
    moved = (tally.moved[0] - value * tally.moved[1]) / n
    covariance = moved / count - refits.drawn / count * np.mean(each)
    grown = (1.0 - 1.0 / n) ** -n
    influence = (2.0 + 1.0 / (n - 1.0)) * own / n + grown * covariance
    # A covariance from few refits is noise of variance Var(q)/B in each row, which the sum of squares would count.
    noise = grown**2 * n * float(np.var(each)) / count
    variance = max(float(np.sum(influence**2)) - noise, float(np.sum((own / n) ** 2)))
    return Claim("out of bag", value, float(np.sqrt(variance) / np.mean(below)), _OF_BAG)
