"""The front is the study's."""

import numpy as np
import pytest

from chart_specs import specification, table_with
from chart_studies import line_study, two_objectives
from credo.errors import InputError
from credo.plots import pareto_chart


def test_the_front_against_a_comparison_of_all_pairs():
    study = two_objectives()
    table = table_with(pareto_chart(study), "which")
    values = np.array([[trial.values["yield"], trial.values["cost"]] for trial in study.trials])
    np.testing.assert_array_equal(np.column_stack([table["x"], table["y"]]), values)
    less = values * [-1.0, 1.0]
    beaten = [any(np.all(o <= v) and np.any(o < v) for o in less) for v in less]
    assert table["which"].tolist() == ["other trials" if is_beaten else "front" for is_beaten in beaten]
    assert specification(pareto_chart(study))["title"]["subtitle"] == "maximize yield, minimize cost"


def test_the_axes_can_be_named():
    study = two_objectives()
    turned = table_with(pareto_chart(study, "cost"), "which")
    np.testing.assert_array_equal(turned["x"], [trial.values["cost"] for trial in study.trials])
    with pytest.raises(InputError, match=r"no objective 'price'.*yield, cost"):
        pareto_chart(study, y="price")
    with pytest.raises(InputError, match="one objective"):
        pareto_chart(line_study())
