"""Altair charts of credo's objects: `credo.plot(object)` finds the right one by type. No statistics here."""

from credo.plots.band import band_chart
from credo.plots.budget import budget_chart
from credo.plots.density import density_chart
from credo.plots.export import save_chart
from credo.plots.path import path_chart
from credo.plots.plot import plot
from credo.plots.theme import Palette, palette, register_themes, themed

__all__ = [
    "Palette",
    "band_chart",
    "budget_chart",
    "density_chart",
    "palette",
    "path_chart",
    "plot",
    "register_themes",
    "save_chart",
    "themed",
]
