"""
A belief, its interval, and where its variance comes from
=========================================================

Every answer of credo is a belief: a distribution that knows its mean, its intervals and, when a model made it, its
uncertainty budget.
"""

import credo
from credo.beliefs import Normal, UncertaintyBudget

# %%
# Suppose a fitted model reports the yield of a run in this way: mean 10, and a variance of 4, of which 3 is noise of
# the measurement and 1 is what the model has not learnt yet.
budget = UncertaintyBudget(noise=3.0, parameter=1.0)
belief = Normal(10.0, 2.0).with_budget(budget)
low, high = belief.interval(0.9)
print(f"{belief.mean:.1f}, and between {low:.1f} and {high:.1f} with probability 0.9")

# %%
# The interval is central: five percent are left out at each end.
credo.plot(belief, x_title="yield")

# %%
# The parts of the budget add up to the variance of the belief, and it says which purchase buys most.
credo.plot(belief.budget)
