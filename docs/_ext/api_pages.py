"""One page a room, written from its `__all__` at every build.

A public name that says nothing about itself, or is on no page, fails the build.
"""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import public_names
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.logging import getLogger

logger = getLogger(__name__)

_OPTIONS = {"class": "   :members:\n   :show-inheritance:\n", "function": ""}


def write_pages(app: Sphinx) -> None:
    """Write docs/api/index.md and one page a room; files that would not change are left alone."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    pages = {f"{room.removeprefix('credo.')}.md": _page(room) for room in public_names.rooms()}
    pages["index.md"] = _index()
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn, which is an error here, about every public name without a docstring or a place on a page."""
    for name in public_names.undocumented():
        logger.warning("%s is public and has no docstring", name)
    for name in public_names.homeless():
        logger.warning("%s is at the top of credo and in the __all__ of no room", name)
    for room in public_names.rooms():
        for name in public_names.names_of(room):
            if f"{room}.{name}" not in env.domains.python_domain.objects:
                logger.warning("%s.%s is public and on no page", room, name)


def alias(app: Sphinx, env: BuildEnvironment) -> None:
    """Let a link to a name at the top of credo lead to the page of its room."""
    objects = env.domains.python_domain.objects
    for name, room in _homes_of_top_names():
        if entry := objects.get(f"{room}.{name}"):
            objects[f"credo.{name}"] = entry._replace(aliased=True)


def _homes_of_top_names() -> list[tuple[str, str]]:
    top, homes = import_module("credo"), public_names.homes()
    named = ((name, homes.get(id(getattr(top, name)))) for name in sorted(top.__all__, key=str.lower))
    return [(name, room) for name, room in named if room]


def _page(room: str) -> str:
    names = public_names.names_of(room)
    parts = [f"# {room}", _rst(f".. automodule:: {room}")]
    if not names:
        parts.append("Nothing is public here yet.")
    else:
        parts += [_table((f"{room}.{name}", public_names.summary_of(room, name)) for name in names)]
    return "\n\n".join([*parts, *(_entry(room, name) for name in names)]) + "\n"


def _entry(room: str, name: str) -> str:
    obj = getattr(import_module(room), name)
    kind = public_names.kind_of(obj)
    if kind == "data":
        text = "".join(f"      {line}\n" for line in public_names.doc_of(room, name).splitlines())
        value = f"   :value: {obj!r}\n" if isinstance(obj, int | float | str) else ""
        return _rst(f".. py:data:: {name}\n   :module: {room}\n{value}\n   .. markdown::\n\n{text}")
    # An estimator is read for what it can do, wherever that was written; other classes are read with their bases.
    is_estimator = any(ancestor.__name__ == "BaseEstimator" for ancestor in getattr(obj, "__mro__", ()))
    inherited = "   :inherited-members: BaseEstimator\n" if is_estimator else ""
    return _rst(f".. auto{kind}:: {room}.{name}\n{_OPTIONS[kind]}{inherited}")


def _index() -> str:
    rows = [(f"credo.{name}", public_names.summary_of(room, name)) for name, room in _homes_of_top_names()]
    tree = "\n".join(room.removeprefix("credo.") for room in public_names.rooms())
    head = "# Reference\n\nPublic names are imported from their room; what a first session needs is at the top too."
    return f"{head}\n\n{_table(rows)}\n\n```{{toctree}}\n:caption: The rooms, from left to right\n\n{tree}\n```\n"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    lines = ["| name | what it is |", "|---|---|"]
    for name, summary in rows:
        escaped = summary.replace("|", "\\|")
        lines.append(f"| [`{name.rpartition('.')[2]}`](#{name}) | {escaped} |")
    return "\n".join(lines)


def _rst(text: str) -> str:
    return f"```{{eval-rst}}\n{text.rstrip()}\n```"


def setup(app: Sphinx) -> dict[str, bool]:
    """Write before reading, check after."""
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("env-updated", alias)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True}
