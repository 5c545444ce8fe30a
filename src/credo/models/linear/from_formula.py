"""Models that a formula and a frame make."""

import inspect
from typing import Any, Self

import numpy as np

from credo.errors import InputError
from credo.models.base import Estimator
from credo.represent.formula import FormulaDesign, formula_rows
from credo.represent.frame import as_frame
from credo.represent.validation import checked_weights

__all__ = ["FromFormula"]


class FromFormula(Estimator):
    """A linear model that can be fitted by a formula, and then takes frames of raw columns."""

    fit_intercept: bool

    design_: FormulaDesign

    @classmethod
    def from_formula(cls, formula: str, frame: Any, sample_weight: Any = None, **settings: Any) -> Self:
        r"""A model fitted to a frame (pandas, polars, pyarrow) as an R-style formula says.

        ``"y ~ x + C(z)"``: the response, then terms. `+` adds terms, `a:b` is an interaction, `a*b` is `a + b + a:b`,
        `(a + b)**2` all pairs, `- a` leaves one out, `0 +` or `- 1` the intercept. Text and categories are coded by
        treatment contrasts, the first level left out; `C(z)` makes numbers categories, with `C(z, Treatment("b"))`,
        `C(z, Sum)` (Helmert, Diff, Poly) or `C(z, levels=[…])`. Parts may be arithmetic in `I(…)` or `{…}`, `log`,
        `exp`, `sqrt`… of columns, and `center`, `scale`, `poly(x, 3)` and `bs(x, df=5)`, which remember what they have
        learned. Names with blanks stand in backquotes. A response `log(y)` is predicted as such.

        The model then predicts from frames with the raw columns, and `summary` names coefficients as the formula does.
        Nothing else is evaluated: a formula from a stranger runs no code. Missing values are refused, not dropped.

        Parameters
        ----------
        formula : str
            As above.
        frame : DataFrame or table
            With the columns that the formula names.
        sample_weight : array, or None
            How often each row was seen.
        settings
            Of the constructor, but for `fit_intercept`, which the formula says; and what `fit` takes besides, such as
            `offset`, one entry a row.

        Examples
        --------
        >>> import polars as pl
        >>> from credo.models import LinearRegression
        >>> frame = pl.DataFrame({"dose": [1, 2, 3, 1, 2, 3], "drug": list("aaabbb"), "y": [1.0, 2, 3, 3, 4.5, 5]})
        >>> model = LinearRegression.from_formula("y ~ dose + drug", frame)
        >>> dict(zip(model.feature_names_in_, model.coef_.round(2).tolist()))
        {'dose': 1.0, 'drug[T.b]': 2.17}
        >>> model.predict(pl.DataFrame({"dose": [4], "drug": ["b"]})).round(2).tolist()
        [6.17]
        """
        who = cls.__name__
        if "fit_intercept" in settings:
            what = f"fit_intercept={settings['fit_intercept']} beside a formula"
            raise InputError(who, what, "The formula says it", "Write '~ 0 + …' for a model without one")
        table = as_frame(frame, who)
        w = checked_weights(who, sample_weight, np.empty((len(table), 1)))
        there = w > 0  # a level that only rows of weight zero have is none
        known = inspect.signature(cls.fit).parameters
        beside = {name: settings.pop(name) for name in tuple(settings) if name in known}
        made = formula_rows(formula, table.filter(there.tolist()), w[there], who)
        model = cls(**settings, fit_intercept=made.design.intercept)
        model.fit(made.table, made.response, w[there], **{k: _taken(v, there) for k, v in beside.items()})
        model.design_ = made.design
        return model

    def _checked(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> tuple[Any, np.ndarray, np.ndarray]:
        if reset:
            self.__dict__.pop("design_", None)  # of a fit before
        return super()._checked(X, y, sample_weight, reset=reset)


def _taken(given: Any, there: np.ndarray) -> Any:
    return np.asarray(given)[there] if np.shape(given) == there.shape else given
