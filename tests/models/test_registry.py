"""The registry holds classes that can be made without arguments."""

from credo.models import ESTIMATORS, Estimator


def test_registry_holds_default_constructible_estimators():
    assert ESTIMATORS
    assert all(issubclass(cls, Estimator) and isinstance(cls(), cls) for cls in ESTIMATORS)
    assert len(set(ESTIMATORS)) == len(ESTIMATORS)
