"""Office files in the spelling that their readers know: strict names become transitional, macro-enabled ones plain.

A workbook or document saved as "Strict Open XML" says the same with other namespaces, which python-docx, openpyxl and
python-pptx do not read; they also refuse templates, shows and files with macros, whose text is stored alike.
"""

from __future__ import annotations

import io
import re
import zipfile

from rag.corpus.load.container import is_xml, open_zip, read_member

_TYPES, _ROOT = "[Content_Types].xml", "_rels/.rels"
_STRICT = b"http://purl.oclc.org/ooxml/"
# No class holds "<", so that a tag that does not close is given up at the next one: linear whatever the bytes are.
_TAG = re.compile(rb"""<[^<>"']*(?:(?:"[^"<]*"|'[^'<]*')[^<>"']*)*>""")
_NAME = re.compile(rb"""(?<=["'])http://purl\.oclc\.org/ooxml/([A-Za-z]+)/([A-Za-z/]+)(?=["'])""")
_HYPHENATED = {b"extendedProperties": b"extended-properties", b"customProperties": b"custom-properties"}
_MAIN_TYPES = re.compile(
    rb"application/(?:vnd\.ms-word|vnd\.openxmlformats-officedocument\.wordprocessingml)"
    rb"\.(?:document\.macroEnabled|template\.macroEnabledTemplate|template)\.main\+xml"
)
_SHOW_TYPES = re.compile(
    rb"application/(?:vnd\.ms-powerpoint|vnd\.openxmlformats-officedocument\.presentationml)"
    rb"\.(?:presentation\.macroEnabled|slideshow\.macroEnabled|template\.macroEnabled|slideshow|template)\.main\+xml"
)
_WORD = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_SLIDES = b"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"


def readable(name: str, data: bytes) -> bytes:
    """The Office file `data`, once `open_zip` finds it harmless, rewritten in memory where its readers need that.

    Raises what `open_zip` raises.
    """
    with open_zip(name, data) as archive:
        members = archive.namelist()
        kinds = read_member(name, archive, _TYPES) if _TYPES in members else b""
        plain = _SHOW_TYPES.sub(_SLIDES, _MAIN_TYPES.sub(_WORD, kinds))
        strict = _ROOT in members and _STRICT in read_member(name, archive, _ROOT)
        if not strict and plain == kinds:
            return data
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as rewritten:
            for member in members:
                content = plain if member == _TYPES else read_member(name, archive, member)
                rewritten.writestr(member, transitional(content) if strict and is_xml(member) else content)
    return stream.getvalue()


def transitional(xml: bytes) -> bytes:
    """`xml` with the strict names in its tags written in the transitional way; its text stays.

    >>> transitional(b'<w xmlns="http://purl.oclc.org/ooxml/wordprocessingml/main">http://purl.oclc.org/ooxml/a/b</w>')
    b'<w xmlns="http://schemas.openxmlformats.org/wordprocessingml/2006/main">http://purl.oclc.org/ooxml/a/b</w>'
    """
    if _STRICT not in xml:
        return xml
    return _TAG.sub(lambda tag: _NAME.sub(_renamed, tag.group()), xml)


def _renamed(found: re.Match[bytes]) -> bytes:
    area, rest = found.groups()
    parts = [_HYPHENATED.get(part, part) for part in rest.split(b"/")]
    return b"http://schemas.openxmlformats.org/" + area + b"/2006/" + b"/".join(parts)
