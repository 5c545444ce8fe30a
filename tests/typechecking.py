"""The checker of annotations that `make test` uses: beartype, which jaxtyping applies to every function of credo.

jaxtyping decorates methods one by one, and beartype then does not know what `Self` is; it is let pass.
"""

from typing import Any, Self

from beartype import BeartypeConf, FrozenDict, beartype

__all__ = ["check"]


class _Anything(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return True


class Anything(metaclass=_Anything):
    """A type that every object has. `Any` itself is refused by beartype inside unions."""


_beartyped = beartype(conf=BeartypeConf(hint_overrides=FrozenDict({Self: Anything}), is_pep484_tower=True))


def check(function: Any) -> Any:
    """The function with its annotations checked. An int is a float, as PEP 484 has it.

    Constructors of estimators are let pass: by scikit-learn's rule they store whatever they are given, and `fit`
    refuses it.
    """
    if function.__module__.startswith(("credo.models.", "credo.represent.")) and function.__name__ == "__init__":
        return function
    return _beartyped(function)
