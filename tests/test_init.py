"""The top of the package: lazy names, 64 bit."""

import subprocess
import sys

import jax.numpy as jnp
import pytest

import credo


def test_every_public_name_resolves_to_its_room():
    for name in credo.__all__:
        assert getattr(credo, name) is not None
    assert set(credo.__all__) <= set(dir(credo))


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = credo.nonsense


def test_import_switches_to_64_bit():
    assert jnp.ones(1).dtype == jnp.float64


def test_import_brings_no_heavy_package():
    heavy = "{'sklearn', 'altair', 'polars', 'pandas', 'lightgbm', 'blackjax', 'sqlalchemy', 'networkx'}"
    code = f"import sys, credo; print(sorted({heavy} & set(sys.modules)))"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert printed.strip() == "[]"
