"""Whether a page holds anything that runs, or that is fetched from elsewhere, beside what is ours."""

import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

_RUNNING = {"script", "iframe", "object", "embed", "svg", "math", "template", "frame", "applet", "base"}
_OURS = re.compile(
    r"/(static/[\w.-]+|tables/[0-9a-f]{16}(/\w+)?|studies(/\w+)?)?(\?table=[0-9a-f]{16})?(#[\w-]*)?"
    r"|#[\w-]*|data:image/svg\+xml;base64,.*"
)


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.wrong, self.text, self.pictures = [], [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in _RUNNING and not (tag == "script" and str(given.get("src", "")).startswith("/static/")):
            self.wrong.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name == "srcdoc" or (name == "style" and value):
                self.wrong.append(f"{tag} {name}")
            if name in ("src", "href", "action", "formaction") and not _OURS.fullmatch(value or ""):
                self.wrong.append(f"{tag} {name}={value}")
            if name == "src" and (value or "").startswith("data:"):
                self.pictures.append(base64.b64decode(value.partition(",")[2]))

    def handle_data(self, data):
        self.text.append(data)


def words_of(page: str) -> str:
    """What is written on a page, once it is known to be harmless; its pictures are looked at, too."""
    parser = _Page()
    parser.feed(page)
    parser.close()
    assert parser.wrong == [], parser.wrong
    for picture in parser.pictures:
        elements = list(ElementTree.fromstring(picture).iter())
        tags = {element.tag.rpartition("}")[2].lower() for element in elements}
        assert not tags & {"script", "foreignobject", "iframe", "a"}, tags
        assert not [name for element in elements for name in element.attrib if name.startswith("on")]
    return "".join(parser.text)
