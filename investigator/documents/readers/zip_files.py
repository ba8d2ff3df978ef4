"""Reads ZIP archives, and the parts of ZIP packages (Office Open XML, OpenDocument, EPUB), within limits."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple, Self
from urllib.parse import unquote
from xml.etree import ElementTree

from investigator.documents.readers.base import Extracted, Member, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.decoding import likely_encoding
from investigator.documents.readers.properties import iso_date
from investigator.language.normalise import one_line
from investigator.records import FileStatus

_PIECE = 1 << 16
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # for other methods, zipfile unpacks more than requested
_UTF8_NAME = 0x800
_HIDDEN = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
_OF_ZIP_PROGRAMS = ("cp437", "cp932", "gb18030", "big5", "cp949", "cp866", "cp1251", "cp1252")


def read_archive(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Opens an archive. The archive has no text of its own; folders and hidden files in it are skipped."""
    return Extracted(text="", members=_members(_opened(source.data), settings.max_bytes))


def _opened(data: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise ReadFailure(FileStatus.FAILED, "the file is truncated or damaged") from error


def _members(archive: zipfile.ZipFile, most: int) -> Iterator[Member]:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    for info, name in zip(infos, _names(infos), strict=True):
        parts = [part for part in name.replace("\\", "/").split("/") if part not in (".", "..")]
        if not any(part.startswith((".", "~$")) or part in _HIDDEN for part in parts):
            yield Member(name, partial(unpacked, archive, info, most))


def _names(infos: list[zipfile.ZipInfo]) -> list[str]:
    """Return the members' names; a single name is too short to identify its encoding, so all are examined together."""
    raw = [b"" if info.flag_bits & _UTF8_NAME else info.orig_filename.encode("cp437", "replace") for info in infos]
    together = b"\n".join(name for name in raw if not name.isascii())
    try:
        together.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = likely_encoding(together, _OF_ZIP_PROGRAMS)
    return [
        name.decode(encoding, errors="replace") if not name.isascii() else info.filename
        for info, name in zip(infos, raw, strict=True)
    ]


def unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """Read a member of an archive: at most `most` + 1 bytes, regardless of its declared size. Raises ReadFailure if the
    member is encrypted, damaged, or compressed with an unknown method.
    """
    if info.flag_bits & 1:
        raise ReadFailure(FileStatus.ENCRYPTED, "the file is protected by a password")
    if info.compress_type not in _METHODS:
        reason = "it is compressed with an unsupported method; only Deflate is supported"
        raise ReadFailure(FileStatus.UNSUPPORTED, reason)
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


class Properties(NamedTuple):
    """The title, the authors, and the date of the last change, because that of creation may be the template's."""

    title: str = ""
    authors: tuple[str, ...] = ()
    date: str | None = None


class Package:
    """An opened ZIP package; no part larger than the limit is unpacked."""

    def __init__(self, data: bytes, settings: ReaderSettings) -> None:
        self._zip = _opened(data)
        self._limit = self._left = settings.max_bytes
        self._names = set(self._zip.namelist())
        self._related: dict[str, dict[str, tuple[str, str]]] = {}

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
        """Return a part as XML without namespaces; only the names of attributes that refer to other parts begin with
        "r:". Raises ReadFailure if the part is not well-formed.
        """
        try:
            root = ElementTree.fromstring(self.read(name))
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise ReadFailure(FileStatus.FAILED, f"a part of the file is damaged ({name})") from error
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
            for key in element.keys():  # noqa: SIM118 - the attributes change
                if key[0] == "{":
                    space, _, local = key.rpartition("}")
                    name = f"r:{local}" if space.endswith("/relationships") else local
                    element.attrib.setdefault(name, element.attrib.pop(key))
        return root

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the internal relationships of a part: each id maps to the last segment of the relationship's type and
        the name of the target part.
        """
        if name not in self._related:
            folder, base = posixpath.split(name)
            relations = posixpath.join(folder, "_rels", f"{base}.rels")
            self._related[name] = {
                relation.get("Id", ""): (
                    relation.get("Type", "").rpartition("/")[2],
                    resolved(name, relation.get("Target", "")),
                )
                for relation in (self.tree(relations) if relations in self else ())
                if relation.get("TargetMode") != "External"
            }
        return self._related[name]

    def present(self, name: str, *kinds: str) -> list[str]:
        """Return the existing parts to which a part has relationships of these kinds."""
        return [part for kind, part in self.related(name).values() if kind in kinds and part in self]

    def main(self, otherwise: str) -> str:
        """Return the main part of an Office document."""
        return next((part for kind, part in self.related("").values() if kind == "officeDocument"), otherwise)

    def properties(self) -> Properties:
        """Return the properties of an Office Open XML or OpenDocument package."""
        part = next((part for part in ("docProps/core.xml", "meta.xml") if part in self), None)
        entries: dict[str, str] = {}
        for element in self.tree(part).iter() if part is not None else ():
            entries.setdefault(element.tag, one_line(cleaned(element.text or "")))
        named = entries.get("initial-creator") or entries.get("creator", "")
        authors = [named] if part == "meta.xml" else named.split(";")  # only Office Open XML lists several
        dates = (entries.get(name) for name in ("modified", "date", "created", "creation-date"))
        return Properties(
            entries.get("title", ""),
            tuple(author.strip() for author in authors if author.strip()),
            next((day for date in dates if (day := iso_date(date))), None),
        )


def resolved(part: str, target: str) -> str:
    """Return the name of the part that `target`, inside `part`, points to."""
    path = unquote(target.partition("#")[0])
    if path.startswith("/"):
        return posixpath.normpath(path.lstrip("/"))
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), path))


def walk(root: ElementTree.Element, skipped: frozenset[str]) -> Iterator[tuple[bool, ElementTree.Element]]:
    """Yield each element, at any depth, twice in document order: at its start (True) and at its end (False)."""
    stack: list[tuple[bool, ElementTree.Element]] = [(True, root)]
    while stack:
        begins, element = stack.pop()
        if begins and element.tag in skipped:
            continue
        yield begins, element
        if begins:
            stack.append((False, element))
            stack.extend((True, child) for child in reversed(element))


def texts_of(root: ElementTree.Element, *names: str) -> str:
    """Return the joined texts of the elements of these names, at any depth."""
    return "".join(element.text or "" for element in root.iter() if element.tag in names)
