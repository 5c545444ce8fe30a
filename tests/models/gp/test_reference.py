"""A published problem: product Matérn-3/2 on 10 000 rows, with the evidence and test density that others reached."""

import os
from pathlib import Path

import numpy as np
import pytest

from credo.kernels import Matern32, On
from credo.models import GPRegressor

DATA = Path(os.environ.get("CREDO_DATA", Path(__file__).parents[4] / "shared" / "data")) / "vff"


@pytest.mark.slow
@pytest.mark.skipif(not DATA.exists(), reason="the reference data are not on this machine (see CREDO_DATA)")
@pytest.mark.parametrize(
    ("columns", "log_evidence", "log_density"),
    [(1, -2690.1629000, -0.27125883), (2, -3169.828239, -0.29551863)],
    ids=["one column", "two columns"],
)
def test_product_matern_on_ten_thousand_rows(columns, log_evidence, log_density):
    data = np.load(DATA / f"dim{columns}_rep0.npz")
    kernel = On(Matern32(lengthscale=0.2), [0])
    if columns == 2:
        kernel = kernel * On(Matern32(lengthscale=0.2), [1])
    gp = GPRegressor(kernel=kernel, noise_variance=0.1, inference=None, standardize=False)
    gp.fit(data["Xtrain"], data["Ytrain"].ravel())
    assert abs(gp.log_evidence_ - log_evidence) < 1e-5
    density = np.mean(np.asarray(gp.predict_dist(data["Xtest"]).log_prob(data["Ytest"].ravel())))
    assert abs(density - log_density) < 1e-7
