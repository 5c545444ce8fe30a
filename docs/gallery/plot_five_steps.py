"""
Five steps to a maximum
=======================

The classic picture of Bayesian optimization: above, what is believed of an unknown function after some measurements;
below, what a further one is worth. Where that is largest is measured next, and both change.
"""

import altair as alt
import numpy as np

import credo
from credo.plots import next_chart, themed
from credo.represent import Real, Space


def growth(point):
    """What nobody knows: the growth of a culture by its temperature."""
    t = point["temperature"]
    return 4.0 * np.exp(-(((t - 31.0) / 3.5) ** 2)) + 2.5 * np.exp(-(((t - 18.0) / 6.0) ** 2)) + 0.02 * t


# %%
# Three runs of an even design, then five that are chosen. Each picture is drawn before its run is made.
study = credo.Study(Space({"temperature": Real(5.0, 45.0)}), direction="maximize", initial=3, random_state=4)
study.optimize(growth, 3)
steps = []
for step in range(5):
    steps.append(next_chart(study, title=f"Step {step + 1}", theme=None))
    trial = study.ask()
    study.tell(trial, growth(trial.params))
    print(f"step {step + 1}: {trial.params['temperature']:.1f} °C gave {growth(trial.params):.3f}. {trial.why}")

# %%
# The true maximum is 4.64, at 31.0 °C. What is left to gain is a statement with its confidence, and a reason to stop.
left = study.remaining()
print(f"best measured {study.best.value:.3f}; left to gain at most {left.bound(0.95):.3f} with 95 %")

# %%
for chart in steps:
    for part in chart.vconcat:
        part.width, part.height = 250, part.height * 0.7
themed(alt.concat(*steps, columns=3, spacing=20), "light")
