"""
Learning a rate, one trial at a time
====================================

A rate that nobody knows, a uniform prior, and the conjugate update: the belief after each trial, beside the truth.
"""

import altair as alt
import numpy as np

import credo
from credo.beliefs import Beta, BetaBernoulli
from credo.plots import themed

# %%
# Two hundred trials, each a success with probability 0.3.
truth, trials = 0.3, 200
results = np.random.default_rng(0).random(trials) < truth

# %%
# The first t trials are all trials with the weights one, …, one, zero, …, zero. So the posteriors after 0, 1, …, 200
# trials are one call, and one belief of batch shape ``(201,)``.
seen = np.arange(trials + 1)
weights = np.arange(trials) < seen[:, None]
pair = BetaBernoulli()
posterior = pair.posterior(Beta(1.0, 1.0), pair.statistics(results, weights))
low, high = posterior[-1].interval(0.9)
print(f"after {trials} trials {posterior[-1]}: between {low:.3f} and {high:.3f} with probability 0.9")

# %%
# The predictive of the next trial splits its variance. At the start a third of it is what is not known about the rate;
# in the end nearly all is the chance of a single trial, which no data remove.
for count in (0, 10, 200):
    share = pair.predictive(posterior[count]).budget.shares()["parameter"]
    print(f"after {count:3d} trials {share:6.1%} of the variance of the next trial can be learnt away")

# %%
# The interval narrows as one over the square root of the number of trials. A chart without theme can be layered.
band = credo.plot(posterior, x=seen, x_title="trials seen", y_title="rate", theme=None)
rule = alt.Chart(alt.Data(values=[{"truth": truth}])).mark_rule(strokeDash=[5, 4]).encode(y="truth:Q")
themed(band + rule)
