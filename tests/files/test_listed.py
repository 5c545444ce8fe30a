"""The closed list: what a name can and cannot stand for."""

import importlib

import equinox as eqx
import pytest

import credo.beliefs
import credo.numerics
from credo.beliefs import Normal
from credo.files.listed import ROOMS, class_named, field_names, kind_of, listed_name, may_be_learned, misfit
from credo.models import BayesianLinearRegression
from credo.numerics import Certificate, Info, Positive


def test_every_class_of_a_room_that_can_be_stored_is_named_and_found():
    found = 0
    for room in ROOMS:
        package = importlib.import_module(f"credo.{room}")
        for name in getattr(package, "__all__", ()):
            cls = getattr(package, name)
            if kind_of(cls) is not None and cls.__module__.startswith(f"credo.{room}."):
                assert class_named(listed_name(cls)) is cls
                found += 1
    assert found > 20


@pytest.mark.parametrize(
    ("cls", "name", "kind"),
    [
        (Normal, "beliefs.Normal", "module"),
        (Positive, "numerics.Positive", "module"),
        (Certificate, "numerics.Certificate", "record"),
        (Info, "numerics.Info", "record"),
        (BayesianLinearRegression, "models.BayesianLinearRegression", "estimator"),
    ],
)
def test_names_and_kinds(cls, name, kind):
    assert (listed_name(cls), kind_of(cls)) == (name, kind)


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "builtins.eval",
        "beliefs.__class__",
        "beliefs.__loader__",
        "beliefs._private",
        "beliefs.base",  # a module
        "beliefs.Belief",  # abstract
        "beliefs.Normal.__init__",
        "beliefs.Normal\n",
        "numerics.certify",  # a function
        "numerics.CONVERGED",  # a constant
        "../beliefs.Normal",
        "credo.beliefs.Normal",
        "beliefs/Normal",
        "errors.CredoError",
        "files.load",
        "plots.plot",
        "Normal",
        "",
        ".",
        None,
        3,
        ["beliefs.Normal"],
        "beliefs." + "N" * 10**6,
    ],
    ids=lambda name: str(name)[:40],
)
def test_names_outside_the_list(name):
    assert class_named(name) is None


def test_a_class_that_a_room_imported_is_not_the_rooms(monkeypatch):
    monkeypatch.setattr(credo.beliefs, "Module", eqx.nn.Linear, raising=False)
    monkeypatch.setattr(credo.beliefs, "__all__", [*credo.beliefs.__all__, "Module"])
    assert class_named("beliefs.Module") is None


def test_a_users_subclass_is_not_in_the_list():
    mine = type("Normal", (Normal,), {"__module__": "credo.beliefs.normal"})
    assert listed_name(mine) is None


def test_field_names_include_inherited_and_static_ones():
    assert set(field_names(Normal)) == {"loc", "scale", "overrides", "budget"}
    assert field_names(Info) == Info._fields


@pytest.mark.parametrize("name", ["coef_", "n_features_in_", "feature_names_in_", "_sklearn_output_config"])
def test_attributes_that_fit_may_set(name):
    assert may_be_learned(BayesianLinearRegression, name)


@pytest.mark.parametrize(
    "name", ["__class__", "__dict__", "_x_", "fit", "predict", "fit_", "a__", "x", "a b_", "é_", "_"]
)
def test_attributes_that_fit_may_not_set(name):
    class Estimator:
        def fit_(self):
            """A method that happens to end in an underscore."""

    assert not may_be_learned(Estimator, name)


def test_misfit_names_the_field():
    assert misfit(Certificate, {"kind": "exact", "iterations": 3}) is None
    assert misfit(Certificate, {"kind": "exact", "iterations": "three"}) == "iterations"
    assert misfit(Certificate, {"kind": "certain"}) == "kind"
