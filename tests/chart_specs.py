"""Reading a chart's specification back, for the tests."""

from typing import Any

import numpy as np


def specification(chart: Any) -> dict[str, Any]:
    """The Vega-Lite specification, checked against its schema by Altair."""
    return chart.to_dict()


def tables(chart: Any) -> list[dict[str, np.ndarray]]:
    """Every data set inside the chart, as columns."""
    sets = specification(chart)["datasets"].values()
    return [{name: np.array([row[name] for row in rows]) for name in rows[0]} for rows in sets]


def table_with(chart: Any, column: str) -> dict[str, np.ndarray]:
    """The one data set that has this column."""
    (found,) = [table for table in tables(chart) if column in table]
    return found
