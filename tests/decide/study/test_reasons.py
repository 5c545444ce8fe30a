"""The numbers of a reason are those of the belief that the study had, by the textbook."""

import numpy as np
import pytest
from scipy import stats

from credo.decide.study import Study
from credo.represent.space import Real, Space

BOX = Space({"a": Real(-1, 1), "b": Real(0, 10)})


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_gain_is_the_expected_improvement_on_the_best_mean(direction):
    sign = 1.0 if direction == "minimize" else -1.0
    study = Study(BOX, direction=direction, random_state=0)
    study.optimize(lambda point: sign * (100 + 40 * (point["a"] - 0.3) ** 2 + (point["b"] - 7) ** 2), 9)
    trial = study.ask()
    # The belief is learnt again from where the trial's ended, so that it differs by what a search leaves open.
    belief = study.posterior([trial.params])
    mean, std = sign * float(belief.mean[0]), float(belief.std[0])
    done = [one.params for one in study.trials if one.values is not None]
    best = np.min(sign * np.asarray(study.posterior(done).mean))
    z = (best - mean) / std
    gain = (best - mean) * stats.norm.cdf(z) + std * stats.norm.pdf(z)
    assert sign * trial.why.mean == pytest.approx(mean, abs=0.2 * std + 0.05)
    assert trial.why.std == pytest.approx(std, rel=0.2)
    assert trial.why.gain == pytest.approx(gain, rel=0.3, abs=0.05)


def test_several_objectives_each_have_their_belief():
    study = Study(BOX, direction={"left": "minimize", "right": "maximize"}, random_state=0)
    study.optimize(lambda point: {"left": point["a"] ** 2, "right": 50.0 + point["b"]}, 9)
    trial = study.ask()
    (left, mean, std), (right, _, _) = trial.why.beliefs
    assert (left, right) == ("left", "right")
    belief = study.posterior([trial.params], "left")
    assert mean == pytest.approx(float(belief.mean[0]), abs=3.0 * std + 0.05)
    assert trial.why.reason in ("explore", "exploit")
