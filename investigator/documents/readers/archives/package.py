"""Unpacks the parts of zip packages (Office Open XML, OpenDocument, EPUB) within limits."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Self
from urllib.parse import unquote
from xml.etree import ElementTree

from investigator.documents.readers.base import ReaderSettings, ReadFailure, cleaned
from investigator.documents.readers.properties import iso_date
from investigator.language.normalise import one_line
from investigator.records import FileStatus

_WORKBOOK, _OPEN_META = "xl/workbook.xml", "meta.xml"
_PIECE = 1 << 16
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # for other methods, zipfile unpacks more than requested


class Package:
    """An opened zip package; no part larger than the limit is unpacked."""

    def __init__(self, data: bytes, settings: ReaderSettings) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise ReadFailure(FileStatus.FAILED, "the file is truncated or damaged") from error
        self._limit = self._left = settings.max_bytes
        self._names = set(self._zip.namelist())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def names(self, pattern: str) -> list[str]:
        """Return the parts whose full names match a pattern, ordered by the numbers in their names."""
        parts = [name for name in self._names if re.fullmatch(pattern, name)]
        return sorted(parts, key=lambda name: ([int(number) for number in re.findall(r"\d+", name)], name))

    def read(self, name: str) -> bytes:
        """Return the bytes of a part. Raises ReadFailure if the part is encrypted, too large, missing or damaged."""
        try:
            info = self._zip.getinfo(name)
        except KeyError as error:
            raise ReadFailure(FileStatus.FAILED, f"a part of the file is missing ({name})") from error
        data = unpacked(self._zip, info, self._left)
        self._left -= len(data)
        if self._left < 0:
            reason = f"the file unpacks to more than the limit of {self._limit:,} bytes (reader.max_bytes)"
            raise ReadFailure(FileStatus.TOO_LARGE, reason)
        return data

    def tree(self, name: str) -> ElementTree.Element:
        """Return a part as XML. Raises ReadFailure if the part is not well-formed."""
        try:
            return ElementTree.fromstring(self.read(name))
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise ReadFailure(FileStatus.FAILED, f"a part of the file is damaged ({name})") from error

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the internal relationships of a part: each id maps to the last segment of the relationship's type and
        the name of the target part.
        """
        folder, base = posixpath.split(name)
        relations = f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels"
        if relations not in self:
            return {}
        targets = {}
        for relation in self.tree(relations):
            if relation.get("TargetMode") != "External":
                target = resolved(name, relation.get("Target", ""))
                targets[relation.get("Id", "")] = (relation.get("Type", "").rpartition("/")[2], target)
        return targets


class CoreProperties:
    """The title, authors and date of an Office Open XML package. The date is that of the last change, because that of
    creation may be the template's.
    """

    def __init__(self, package: Package) -> None:
        properties: dict[str, str] = {}
        if "docProps/core.xml" in package:
            for element in package.tree("docProps/core.xml"):
                properties[local_name(element)] = (element.text or "").strip()
        self.title = properties.get("title", "")
        self.authors = tuple(name.strip() for name in properties.get("creator", "").split(";") if name.strip())
        self.date = iso_date(properties.get("modified")) or iso_date(properties.get("created"))


class OpenProperties:
    """The title, author and date of an OpenDocument package; the date is that of the last change, too."""

    def __init__(self, package: Package) -> None:
        entries: dict[str, str] = {}
        for element in package.tree(_OPEN_META).iter() if _OPEN_META in package else ():
            entries.setdefault(local_name(element), one_line(cleaned(element.text or "")))
        author = entries.get("initial-creator") or entries.get("creator")
        self.title = entries.get("title", "")
        self.authors = (author,) if author else ()
        self.date = iso_date(entries.get("date")) or iso_date(entries.get("creation-date"))


def unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """Read a member of an archive: at most `most` + 1 bytes, regardless of its declared size. Raises ReadFailure if the
    member is encrypted, damaged, or compressed with an unknown method.
    """
    if info.flag_bits & 1:
        raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password")
    if info.compress_type not in _METHODS:
        raise ReadFailure(
            FileStatus.UNSUPPORTED, "it is compressed with an unsupported method; only Deflate is supported"
        )
    parts, left = [], most + 1
    try:
        with archive.open(info) as file:
            while left > 0 and (part := file.read(min(_PIECE, left))):  # in pieces, because a full read is unbounded
                parts.append(part)
                left -= len(part)
    except NotImplementedError as error:
        raise ReadFailure(FileStatus.UNSUPPORTED, "it needs a version of ZIP that is not supported") from error
    except RuntimeError as error:  # zipfile's error for a missing password
        raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        raise ReadFailure(FileStatus.FAILED, "its compressed data is truncated or damaged") from error
    return b"".join(parts)


def resolved(part: str, target: str) -> str:
    """Return the name of the part that `target`, inside `part`, points to."""
    path = unquote(target.partition("#")[0])
    if path.startswith("/"):
        return posixpath.normpath(path.lstrip("/"))
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), path))


def local_name(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace; empty for comments."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: ElementTree.Element, name: str) -> str:
    """Return the value of an attribute in any namespace; empty if it is missing."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""


def walk(root: ElementTree.Element, skipped: frozenset[str]) -> Iterator[tuple[bool, ElementTree.Element]]:
    """Yield each element, at any depth, twice in document order: at its start (True) and at its end (False)."""
    stack: list[tuple[bool, ElementTree.Element]] = [(True, root)]
    while stack:
        begins, element = stack.pop()
        if begins and local_name(element) in skipped:
            continue
        yield begins, element
        if begins:
            stack.append((False, element))
            stack.extend((True, child) for child in reversed(element))
