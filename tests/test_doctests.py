"""Every example in a docstring of credo and in the pages of docs/ says what really comes out.

Python's own finder looks for plain functions only; jitted ones and those that jaxtyping wraps are found here too.
"""

import doctest
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import credo

ROOT = Path(__file__).parents[1]
MODULES = sorted(info.name for info in walk_packages(credo.__path__, "credo."))
PAGES = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _docstrings(module) -> Iterator[tuple[str, str]]:
    yield module.__name__, module.__doc__ or ""
    for name, obj in vars(module).items():
        if getattr(obj, "__module__", None) != module.__name__:
            continue
        yield f"{module.__name__}.{name}", getattr(obj, "__doc__", None) or ""
        if inspect.isclass(obj):
            for member, attribute in vars(obj).items():
                attribute = getattr(attribute, "__func__", attribute)  # classmethod and staticmethod
                yield f"{module.__name__}.{name}.{member}", _text(attribute)


def _text(attribute) -> str:
    text = getattr(attribute, "__doc__", None)
    return text if isinstance(text, str) else ""


def _run(text: str, name: str, namespace: dict) -> None:
    if ">>>" not in text:
        return
    test = doctest.DocTestParser().get_doctest(text.replace("```", ""), dict(namespace), name, name, 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=report.append)
    assert not result.failed, "".join(report)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_of(name):
    module = import_module(name)
    for where, text in _docstrings(module):
        _run(text, where, vars(module))


@pytest.mark.parametrize("page", PAGES)
def test_page(page):
    _run((ROOT / "docs" / page).read_text(), page, {})


def test_finds_examples_of_wrapped_functions():
    found = dict(_docstrings(import_module("credo.numerics.parameters")))
    assert ">>>" in found["credo.numerics.parameters.flatten"]


def test_a_wrong_example_fails():
    with pytest.raises(AssertionError, match="Expected"):
        _run(">>> 1 + 1\n3\n", "wrong", {})
