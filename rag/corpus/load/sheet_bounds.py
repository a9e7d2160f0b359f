"""What a workbook would become in memory, counted before its reader makes an object of every cell."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from xml.parsers import expat

from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.reader.excel import ExcelReader
from openpyxl.utils import range_boundaries
from openpyxl.xml.constants import COMMENTS_NS

from rag.corpus.load.container import damaged, read_member
from rag.corpus.load.regions import MAX_CELLS, too_many

# The reader makes a cell of every place in the areas that these name; not of those of formats and validations.
_AREAS = frozenset({"mergeCell", "hyperlink", "comment"})


def check_cells(name: str, data: bytes) -> int:
    """The number of formulas without a stored result in a workbook whose parts `open_zip` found harmless.

    Raises:
        UnsafeFile: more than 500,000 cells, in all sheets together; every place of a merged area, a link or a comment
            counts, and a part counts for every sheet that it is.
        LoadError: the XML of a sheet is damaged.
    """
    cells = unsolved = 0
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        counted: dict[str, _Counted] = {}
        for part in _parts(data):
            if part not in counted:
                counted[part] = _Counted(name, read_member(name, archive, part))
            cells += counted[part].cells
            unsolved += counted[part].unsolved
            if cells > MAX_CELLS:
                raise too_many(name)
    return unsolved


def _parts(data: bytes) -> Iterator[str]:
    """The parts that the reader takes for sheets and their comments, whatever they are called, as often as it does."""
    reader = ExcelReader(io.BytesIO(data), data_only=True, keep_links=False)
    with reader.archive:
        reader.read_manifest()
        reader.read_workbook()
        for _, relation in reader.parser.find_sheets():
            if relation.target not in reader.valid_files:
                continue
            yield relation.target
            relations = get_rels_path(relation.target)  # type: ignore[no-untyped-call]
            if relations in reader.valid_files:
                comments = get_dependents(reader.archive, relations).find(COMMENTS_NS)
                yield from (one.target for one in comments if one.target in reader.valid_files)


class _Counted:
    """Cells and formulas without a result in one part. Raises `UnsafeFile` as soon as there are too many cells."""

    def __init__(self, name: str, xml: bytes) -> None:
        self.cells = self.unsolved = 0
        self._name = name
        self._open: list[str] = []
        self._formula = self._result = False
        self._parser = parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler, parser.EndElementHandler = self._begin, self._end
        try:
            parser.Parse(xml, True)
        except (expat.ExpatError, LookupError, ValueError) as error:
            raise damaged(name) from error

    def _refuse(self, *_: object) -> None:
        raise damaged(self._name)  # `open_zip` looks only at parts that are called XML

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition("}")[2]
        if self._open[-1:] == ["row"]:  # the reader takes everything in a row for a cell
            self._formula = self._result = False
            self._count(1)
        elif tag in _AREAS:
            self._count(_area(attributes.get("ref", "")))
        elif tag == "f":
            self._formula = True
        elif tag == "v":
            self._parser.CharacterDataHandler = self._read
        self._open.append(tag)

    def _end(self, _: str) -> None:
        tag = self._open.pop()
        if tag == "v":
            self._parser.CharacterDataHandler = None
        elif self._open[-1:] == ["row"]:
            self.unsolved += self._formula and not self._result

    def _read(self, _: str) -> None:
        self._result = True

    def _count(self, cells: int) -> None:
        self.cells += cells
        if self.cells > MAX_CELLS:
            raise too_many(self._name)


def _area(reference: str) -> int:
    try:
        left, top, right, bottom = range_boundaries(reference)
    except (ValueError, TypeError):  # not a range; the reader will say so
        return 1
    if left is None or top is None or right is None or bottom is None:  # whole rows or columns
        return MAX_CELLS
    return max(right - left + 1, 0) * max(bottom - top + 1, 0)
