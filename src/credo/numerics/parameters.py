"""Parameters of modules: each field declares its constraint and prior once, an instance may override them.

`flatten` maps the free parameters of any module to one unconstrained vector and back, so that one minimizer, one
Laplace approximation and one sampler serve every model.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Float

from credo.errors import InputError
from credo.numerics.concrete import is_known, known_not_finite
from credo.numerics.constraints import Constraint, Real

__all__ = [
    "Flattened",
    "Parameterized",
    "constraint_of",
    "declared_parameters",
    "flatten",
    "free_constraints",
    "log_prior",
    "parameter",
    "parameters",
]

M = TypeVar("M")
_KEY = "credo.constraint"


def parameter(constraint: Constraint | None = None, *, event_ndim: int = 0, **kwargs: Any) -> Any:
    """A field of a [](#credo.numerics.Parameterized) module, with the constraint and prior it has by default.

    `event_ndim` is the number of trailing axes of one parameter; axes before it are batch axes. ``default=`` works
    as in a dataclass.
    """
    metadata = {_KEY: constraint if constraint is not None else Real(), "event_ndim": event_ndim}
    return eqx.field(metadata=metadata, converter=_as_given, **kwargs)


def _as_given(value: Any) -> Any:
    """Says what a constructor accepts, which Equinox reads here: anything that `__post_init__` turns into an array."""
    return value


class Parameterized(eqx.Module):
    """A module whose parameters are plain float64 arrays in formulas, and know their constraint and prior beside them.

    Passing a constraint in place of a number overrides the declared one on this instance:
    ``Matern52(lengthscale=Fixed(0.2))``, ``Positive(1.0, prior=LogNormal(0, 1))``.
    """

    overrides: dict[str, Constraint] = eqx.field(default_factory=dict, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        overrides = dict(self.overrides)
        for field in _declared(type(self)):
            value = getattr(self, field.name)
            if isinstance(value, Constraint):
                overrides[field.name], value = value.without_value(type(self).__name__, field), value.value
            value = _as_array(value, type(self).__name__, field.name)
            object.__setattr__(self, field.name, value)
            self._check(field, overrides.get(field.name), value)
        self.overrides = overrides

    def _check(self, field: Any, override: Constraint | None, value: Array) -> None:
        if not is_known(value):
            return
        for constraint in (field.metadata[_KEY], override):
            if constraint is None or bool(np.all(constraint.contains(value))):
                continue
            raise InputError(
                type(self).__name__,
                f"{field.name} is {_short(value)}, but must be {constraint.words()}",
                "A value has the wrong sign, is not finite, or the arguments are in another order",
                f"Try {type(self).__name__}({field.name}=...) with values that are {constraint.words()}",
            )


def _as_array(value: Any, who: str, name: str) -> Array:
    if isinstance(value, Array) and value.dtype == jnp.float64:
        return value
    try:
        return jnp.asarray(value, dtype=jnp.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            who, f"{name} is {_short(value)}, which is not numeric", "Text or a ragged list was passed", "Pass numbers"
        ) from error


def _short(value: Any) -> str:
    try:
        text = repr(value) if isinstance(value, str) else np.array2string(np.asarray(value), threshold=6, precision=4)
    except ValueError:  # a ragged list
        text = repr(value)
    return text if len(text) < 80 else text[:77] + "..."


def _declared(cls: type) -> list[Any]:
    return [f for f in dataclasses.fields(cls) if _KEY in f.metadata]


def declared_parameters(cls: type) -> dict[str, int]:
    """The names of the parameters that a class declares, each with its number of event axes."""
    return {f.name: f.metadata["event_ndim"] for f in _declared(cls)}


def constraint_of(module: Parameterized, name: str) -> Constraint:
    """The constraint in force on one parameter of one instance."""
    if name in module.overrides:
        return module.overrides[name]
    for field in _declared(type(module)):
        if field.name == name:
            return field.metadata[_KEY]
    known = ", ".join(f.name for f in _declared(type(module))) or "none"
    raise InputError(
        type(module).__name__, f"no parameter {name!r}", "The name is misspelt", f"Its parameters are: {known}"
    )


class Site(NamedTuple):
    """One parameter of one module inside a larger one."""

    path: str
    owner: Callable[[Any], Any]
    name: str
    constraint: Constraint
    value: Array


def _is_owner(node: Any) -> bool:
    return isinstance(node, Parameterized)


def _children(module: Parameterized) -> Iterator[tuple[str, Any]]:
    names = {f.name for f in _declared(type(module))} | {"overrides"}
    for field in dataclasses.fields(module):
        if field.name not in names and not field.metadata.get("static", False):
            yield field.name, getattr(module, field.name)


def _attribute(get: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    return lambda module: getattr(get(module), name)


def _item(get: Callable[[Any], Any], key: Any) -> Callable[[Any], Any]:
    return lambda module: get(module)[key]


def _walk(node: Any, path: str, get: Callable[[Any], Any]) -> Iterator[Site]:
    if _is_owner(node):
        for field in _declared(type(node)):
            where = f"{path}.{field.name}".lstrip(".")
            yield Site(where, get, field.name, constraint_of(node, field.name), getattr(node, field.name))
        for name, child in _children(node):
            yield from _walk(child, f"{path}.{name}", _attribute(get, name))
    elif isinstance(node, eqx.Module):
        for field in dataclasses.fields(node):
            if not field.metadata.get("static", False):
                yield from _walk(getattr(node, field.name), f"{path}.{field.name}", _attribute(get, field.name))
    elif isinstance(node, dict):
        for key in sorted(node):
            yield from _walk(node[key], f"{path}[{key!r}]", _item(get, key))
    elif isinstance(node, (list, tuple)):
        for i, child in enumerate(node):
            yield from _walk(child, f"{path}[{i}]", _item(get, i))


def _sites(module: Any) -> list[Site]:
    return list(_walk(module, "", lambda m: m))


def parameters(module: Any) -> dict[str, Array]:
    """Every parameter of a module and of the modules inside it, by path."""
    return {site.path: site.value for site in _sites(module)}


class Flattened(NamedTuple):
    """An unconstrained vector, the way back, and the log-Jacobian of the way back."""

    vector: Float[Array, " p"]
    rebuild: Callable[[Array], Any]
    log_jacobian: Callable[[Array], Array]
    names: tuple[str, ...]


def flatten(module: M) -> Flattened:
    """Map the free parameters of `module` to one unconstrained vector and back.

    ``vector, rebuild, *_ = flatten(module)``; ``rebuild(vector)`` gives back `module` to the last bit, and `rebuild` is
    differentiable and jittable. Fixed parameters are left out. ``log_jacobian(vector)`` is the logarithm of
    $|\\partial\\theta/\\partial u|$, which a density over $\\theta$ needs when it is explored in $u$.

    >>> from credo.beliefs import Normal
    >>> vector, rebuild, *_ = flatten(Normal(0.0, 2.0))
    >>> rebuild(vector + 1.0).loc.item()
    1.0
    """
    sites = [s for s in _sites(module) if s.constraint.is_free]
    starts = [s.constraint.to_free(s.value) for s in sites]
    shapes = [u.shape for u in starts]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    vector = jnp.concatenate([u.ravel() for u in starts]) if starts else jnp.zeros(0)
    _check_free(module, sites, starts)

    def pieces(free: Array) -> list[Array]:
        parts = jnp.split(free, ends[:-1]) if starts else []
        return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]

    def rebuild(free: Array) -> M:
        values = [_exact(s, u0, u) for s, u0, u in zip(sites, starts, pieces(free), strict=True)]
        if not values:
            return module
        return eqx.tree_at(lambda m: [getattr(s.owner(m), s.name) for s in sites], module, values)

    def log_jacobian(free: Array) -> Array:
        terms = [s.constraint.log_jacobian(u) for s, u in zip(sites, pieces(free), strict=True)]
        return jnp.sum(jnp.stack(terms)) if terms else jnp.zeros(())

    return Flattened(vector, rebuild, log_jacobian, tuple(_names(sites, shapes)))


def _check_free(module: Any, sites: list[Site], starts: list[Array]) -> None:
    for site, start in zip(sites, starts, strict=True):
        if known_not_finite(start):
            raise InputError(
                type(module).__name__,
                f"{site.path} is {_short(site.value)}, which has no finite free coordinates",
                "It lies on the edge of its range: a probability of 0, say",
                "Move it inside, or hold it with Fixed",
            )


def _exact(site: Site, start: Array, free: Array) -> Array:
    """The constrained value; at the start itself exactly the value that was given, with the gradient unchanged."""
    return _snap(site.constraint.from_free(free), site.value, jnp.all(free == start))


@jax.custom_jvp
def _snap(value: Array, given: Array, unmoved: Array) -> Array:
    return jnp.where(unmoved, given, value)


_snap.defjvps(lambda tangent, *_: tangent, None, None)


def _names(sites: list[Site], shapes: list[tuple[int, ...]]) -> Iterator[str]:
    for site, shape in zip(sites, shapes, strict=True):
        for index in np.ndindex(*shape):
            yield f"{site.path}{list(index) if index else ''}"


def free_constraints(module: Any) -> dict[str, Constraint]:
    """The constraint behind each entry of the free vector, by the names that `flatten` gives them, in their order.

    >>> from credo.beliefs import Normal
    >>> {name: constraint.words() for name, constraint in free_constraints(Normal(0.0, 2.0)).items()}
    {'loc': 'finite', 'scale': 'positive and finite'}
    """
    sites = [site for site in _sites(module) if site.constraint.is_free]
    shapes = [site.constraint.to_free(site.value).shape for site in sites]
    named = ((_names([site], [shape]), site.constraint) for site, shape in zip(sites, shapes, strict=True))
    return {name: constraint for names, constraint in named for name in names}


def log_prior(module: Any) -> Array:
    """The sum of the log prior densities of all parameters, at their constrained values; fixed ones count nothing."""
    terms = [
        jnp.sum(s.constraint.prior.log_prob(s.value))
        for s in _sites(module)
        if s.constraint.prior is not None and s.constraint.is_free
    ]
    return jnp.sum(jnp.stack(terms)) if terms else jnp.zeros(())
