"""
The evidence, its surface and its optima
========================================

The evidence of a Gaussian process can have several optima: one tells a smooth story with much noise, another a wiggly
story with little. A search from several starts finds both, and says so.
"""

import numpy as np

import credo
from credo.kernels import RBF

# %%
# Eight measurements that allow two stories.
x = np.array([-3.56, -1.88, -0.91, -0.77, 0.12, 3.28, 4.49, 4.50])[:, None]
y = np.array([0.37, 0.38, 0.22, 0.29, -0.20, -0.17, -0.50, -0.41])
gp = credo.GPRegressor(kernel=RBF(), inference="ml", n_restarts=12, random_state=0).fit(x, y)
for optimum in gp.optima_:
    scale, noise = float(optimum.process.kernel.lengthscale), float(optimum.process.noise.level)
    print(f"log evidence {optimum.objective:7.3f} at length-scale {scale:.3g} and noise variance {noise:.3g}")

# %%
# The surface over length-scale and noise, at the variance of the best story: the log evidence of the same rows at given
# values. Bright is likely; the diamond is the fit, circles are the other optima of the search.
credo.plot(gp.evidence_surface(points=48, reach=3.5))
