import numpy as np
import pytest

from credo.models import Bridge, ElasticNet, Lasso


@pytest.mark.parametrize(
    "model", [Lasso(folds=2), ElasticNet(folds=2), Bridge(q=0.7, folds=2), Bridge(q=1.5, alpha="bic")], ids=str
)
def test_frequencies_are_repetitions_also_in_the_choice(model):
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(25, 4)), rng.integers(0, 4, size=25)
    y = X @ [1.0, -1.0, 0.5, 0.0] + 0.3 * rng.normal(size=25)
    weighted = model.fit(X, y, sample_weight=w)
    alpha, coef = weighted.alpha_, weighted.coef_
    repeated = model.fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert repeated.alpha_ == alpha
    np.testing.assert_array_equal(repeated.coef_, coef)


def test_one_row_has_no_slopes():
    model = Lasso().fit(np.ones((1, 3)), np.array([2.0]))
    assert not np.any(model.coef_)
    np.testing.assert_allclose(model.predict(np.ones((1, 3))), 2.0)
