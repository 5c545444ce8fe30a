"""Excel files by hand, from the least that one has: honest ones, and what strangers make of them."""

import io
import zipfile
from collections.abc import Mapping, Sequence

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006"
_PACKAGE = "http://schemas.openxmlformats.org/package"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SHEET, STRINGS = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"


def excel(rows: Sequence[Sequence[object]]) -> bytes:
    """A workbook of one sheet with these cells."""

    def cell(value: object) -> str:
        is_text = isinstance(value, str)
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>' if is_text else f"<c><v>{value}</v></c>"

    return workbook(sheet("".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)))


def sheet(lines: str, head: str = "") -> str:
    """The part of a workbook that holds the rows."""
    return f'{head}<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def shared(*texts: str) -> str:
    """The part that holds texts to which cells refer by number."""
    return f'<sst xmlns="{_MAIN}">{"".join(f"<si><t>{text}</t></si>" for text in texts)}</sst>'


def workbook(first: str | bytes, more: Mapping[str, str | bytes] | None = None) -> bytes:
    """A file with that sheet, and with more parts by their names."""
    relation = (
        f'<Relationships xmlns="{_PACKAGE}/2006/relationships"><Relationship Id="r1" Type="{_OFFICE}/relationships'
    )
    strings = f'<Relationship Id="r2" Type="{_OFFICE}/relationships/sharedStrings" Target="sharedStrings.xml"/>'
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        f'<Override PartName="/{STRINGS}" ContentType="{_KIND}.sharedStrings+xml"/>'
        f'<Override PartName="/{SHEET}" ContentType="{_KIND}.worksheet+xml"/></Types>',
        "_rels/.rels": f'{relation}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}/relationships">'
        '<sheets><sheet name="runs" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{relation}/worksheet" Target="worksheets/sheet1.xml"/>{strings}'
        "</Relationships>",
        SHEET: first,
        **(more or {}),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return out.getvalue()
