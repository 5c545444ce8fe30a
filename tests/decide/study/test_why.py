"""Reasons: which part of the gain is larger, and words that say it."""

import json

import numpy as np
import pytest
from scipy import stats

from credo.decide.study.averaging import Components
from credo.decide.study.why import Why


@pytest.mark.parametrize(("mean", "std", "reason"), [(-1.0, 0.1, "exploit"), (0.5, 2.0, "explore")])
def test_the_larger_part_of_the_gain_is_the_reason(mean, std, reason):
    why = Why.of_gain(Components(np.ones(1), np.array([[mean]]), np.array([[std]])), best=0.0, turned=1.0)
    z = -mean / std
    assert why.reason == reason
    assert why.gain == pytest.approx(-mean * stats.norm.cdf(z) + std * stats.norm.pdf(z))
    # The same where more is better.
    turned = Why.of_gain(Components(np.ones(1), np.array([[-mean]]), np.array([[std]])), best=0.0, turned=-1.0)
    assert (turned.reason, turned.gain) == (why.reason, pytest.approx(why.gain))


def test_the_gain_of_a_mixture_is_the_mean_over_its_parts():
    means, stds, shares = np.array([-1.0, 2.0]), np.array([0.5, 1.5]), np.array([0.3, 0.7])
    why = Why.of_gain(Components(shares, means[None], stds[None]), best=0.4, turned=1.0)
    draws = np.concatenate(
        [stats.norm(m, s).ppf((np.arange(20_000) + 0.5) / 20_000) for m, s in zip(means, stds, strict=True)]
    )
    weights = np.repeat(shares / 20_000, 20_000)
    assert why.gain == pytest.approx(weights @ np.maximum(0.4 - draws, 0.0), rel=1e-3)
    assert why.mean == pytest.approx(weights @ draws, rel=1e-6)
    assert why.std == pytest.approx(np.sqrt(weights @ (draws - why.mean) ** 2), rel=1e-3)


def test_words():
    why = Why("explore", 1.0, 0.5, 0.8, 0.2, feasible=0.9)
    assert str(why) == (
        "explore: believed to be 1 ± 0.5, best predicted so far 0.8, expected gain 0.2, feasible with probability 90%"
    )
    assert str(Why("start")).startswith("start: an even design")


def test_goes_to_json_and_back():
    why = Why("exploit", 1.0, 0.5, 0.8, 0.2, acquisition="log_ei", seen=7, parameters=((0.1, np.float64(2.0)), (3.0,)))
    assert Why.from_dict(json.loads(json.dumps(why.to_dict()))) == why
    several = Why("explore", gain=0.1, beliefs=(("yield", 60.0, 2.0), ("waste", 3.0, 0.5)), batch=(1, 3), cost=4.0)
    assert Why.from_dict(json.loads(json.dumps(several.to_dict()))) == several
    assert str(several) == ("explore: believed to be yield 60 ± 2, waste 3 ± 0.5, expected gain 0.1, at a cost of 4")
    assert Why.from_dict({"reason": "queued", "unknown": 3}) == Why("queued")
