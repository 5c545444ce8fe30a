"""Docstrings are Markdown, as the pages are: `$…$` is mathematics and `[](#credo.beliefs.Normal)` a link.

autodoc hands docstrings on as reStructuredText, so each one is wrapped into a directive whose content MyST reads.
Two habits of Python docstrings are no Markdown and are rewritten first: doctests become fenced code, and numpydoc
sections become lists.
"""

import re
from typing import Any

from docutils import nodes
from docutils.utils import new_document
from jaxtyping import ArrayLike
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import stringify_annotation

_ENTRIES = {"Parameters", "Attributes", "Returns", "Raises", "Yields", "Warns"}
_SECTIONS = _ENTRIES | {"Examples", "Notes", "References"}
_ARRAY_LIKE = stringify_annotation(ArrayLike, "smart")


class Markdown(SphinxDirective):
    """``.. markdown::`` with MyST as its content."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The nodes of the content."""
        document = new_document(self.state.document.current_source or "", self.state.document.settings)
        MystParser().parse("\n".join(self.content), document)
        return document.children


def to_markdown(lines: list[str]) -> list[str]:
    """A docstring with its doctests as fenced code and its numpydoc sections as lists."""
    result: list[str] = []
    in_doctest, in_entries = False, False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if in_doctest and not line.strip():
            result.append("```")
            in_doctest = False
        if not in_doctest and line.lstrip().startswith(">>> "):
            result.append("```pycon")
            in_doctest = True
        if in_doctest:
            result.append(line)
        elif line in _SECTIONS and re.fullmatch(r"-{3,}", following):
            result += [f"**{line}**", ""]
            in_entries = line in _ENTRIES
        elif not re.fullmatch(r"-{3,}", line):
            result.append(_entry(line, following) if in_entries and line[:1].strip() else line)
    return [*result, "```"] if in_doctest else result


def _entry(line: str, following: str) -> str:
    name, _, kind = line.partition(" : ")
    described = "\\" if following.startswith(" ") else ""
    return f"- **{name}**" + (f" ({kind})" if kind else "") + described


def wrap(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Put every docstring into a ``.. markdown::`` directive."""
    if any(line.strip() for line in lines):
        lines[:] = [".. markdown::", "", *("   " + line for line in to_markdown(lines)), ""]


def shorten(app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: Any, returns: Any) -> tuple[Any, Any]:
    """Signatures as they are written: aliases by their name, without the keywords that every belief has."""
    return _shorter(signature), _shorter(returns)


def _shorter(text: str | None) -> str | None:
    if text is None:
        return None
    text = re.sub(r", (overrides|budget): [^=]* = <factory>", "", text).replace("<factory>", "...")
    text = re.sub(r", \*(?=\))", "", text).replace(_ARRAY_LIKE, "ArrayLike")
    return re.sub(r"~?(jax\.)?jaxlib\._jax\.Array", "Array", text)


def skip(app: Sphinx, what: str, name: str, obj: Any, skipped: bool, options: Any) -> bool | None:
    """Leave out what a library put on our classes: aliases of tuple fields, scikit-learn's own methods."""
    is_alias = (getattr(obj, "__doc__", None) or "").startswith("Alias for field")
    is_theirs = str(getattr(obj, "__module__", "")).startswith("sklearn.") or re.fullmatch(r"set_\w+_request", name)
    return True if is_alias or is_theirs else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the hooks."""
    app.add_directive("markdown", Markdown)
    app.connect("autodoc-process-docstring", wrap)
    app.connect("autodoc-process-signature", shorten)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True}
