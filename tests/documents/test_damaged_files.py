"""Reading a damaged or forged file ends in time with a status, and has no other effect. `make fuzz` runs the same tests
for longer; INVESTIGATOR_FUZZ is the number of examples.
"""

from __future__ import annotations

import io
import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import made_compound
import made_files
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from investigator import records
from investigator.documents.chunks import ChunkSettings
from investigator.documents.exchange import ReadRequest
from investigator.documents.readers.base import ReaderSettings
from investigator.documents.reading_pool import ReadingPool
from investigator.records import FileStatus

EXAMPLES = int(os.environ.get("INVESTIGATOR_FUZZ", "25"))
EXAMPLE_FOLDER = Path(__file__).parents[2] / "data" / "examples" / "child-health"
SECONDS = 20.0
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)


def _zipped(**parts: str) -> bytes:
    return made_files.package({name.replace("__", "/"): text for name, text in parts.items()})


SEEDS: dict[str, Callable[[], bytes]] = {
    "docx": lambda: made_files.docx(made_files.word_paragraph("The rent is 412 euros.")),
    "pptx": lambda: made_files.pptx({"slide1": "The rent"}, ["slide1"], {}),
    "xlsx": lambda: made_files.xlsx({"Rents": [["Flat", 412], ["House", 900.5]]}),
    "pdf": lambda: made_files.pdf([["The rent", "is 412 euros."], ["And more."]], title="Rents"),
    "msg": lambda: made_compound.compound_file(
        made_compound.outlook_message(
            {0x0037: "Rent", 0x1000: "It is 412 euros."},
            attachments=[made_compound.attachment("a.txt", b"The mill.")],
        )
    ),
    "zip": lambda: _zipped(**{"a.txt": "The mill.", "b__c.html": "<p>It turns.</p>"}),
    "html": lambda: b"<html><head><title>Rent</title></head><body><h1>Rent</h1><table><tr><td>412</table></body>",
    "xml": lambda: b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e "412">]><a><b c="1">&e;</b></a>',
    "json": lambda: b'{"rent": [412, {"flat": "A", "note": "\\u00e9"}], "n": 1e9}',
    "jsonl": lambda: b'{"rent": 412}\n{"rent": 413}\n',
    "csv": lambda: b'flat;rent\n"A; left";412\nB;413\n',
    "rtf": lambda: rb"{\rtf1\ansi\ansicpg1252{\fonttbl\f0 Arial;}\pard The rent is \b 412\b0 \u233?uros.\par}",
    "eml": lambda: (
        b"From: a@b.c\r\nSubject: =?utf-8?b?UmVudA==?=\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\nContent-Type: text/plain\r\n\r\nIt is 412.\r\n'
        b"--x\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\nPGI+NDEyPC9iPg==\r\n--x--\r\n"
    ),
    "md": lambda: b"# Rent\n\n| a | b |\n|---|---|\n| 1 | 412 |\n\n[x](y)\n",
    "ipynb": lambda: b'{"cells": [{"cell_type": "markdown", "source": ["# Rent"]}], "nbformat": 4, "metadata": {}}',
    "epub": lambda: _zipped(
        mimetype="application/epub+zip",
        **{
            "META-INF__container.xml": '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
            "a.opf": '<package><manifest><item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="c"/></spine></package>',
            "c.xhtml": "<html><body><p>The rent is 412.</p></body></html>",
        },
    ),
    "odt": lambda: _zipped(
        mimetype="application/vnd.oasis.opendocument.text",
        **{"content.xml": "<office:document-content><text:p>The rent is 412.</text:p></office:document-content>"},
    ),
}
HOSTILE = (
    b"\x00", b"\xff\xff\xff\xff", b"\x80\x00\x00\x00", b"<!ENTITY a SYSTEM 'file:///etc/hostname'>&a;", b"(" * 400,
    b"<a>" * 400, b"[" * 4000, b"{\\rtf" * 400, b"../../../outside.txt", b"/etc/hostname", b"\\bin99999999 ",
    b"9" * 400, b"PK\x03\x04", b"%PDF-1.4", b"/JavaScript (app.launchURL)", b"\xef\xbb\xbf", b"\r\n\r\n--x",
)  # fmt: skip


@st.composite
def damage(draw: st.DrawFn) -> list[tuple[str, float, bytes]]:
    """A few changes: the kind of change, its position as a share of the file, and its bytes."""
    kinds = st.sampled_from(["flip", "insert", "overwrite", "delete", "cut", "double"])
    given_bytes = st.one_of(st.sampled_from(HOSTILE), st.binary(min_size=1, max_size=16))
    return draw(st.lists(st.tuples(kinds, st.floats(0, 1), given_bytes), min_size=1, max_size=6))


def damaged(content: bytes, changes: list[tuple[str, float, bytes]]) -> bytes:
    data = bytearray(content)
    for kind, place, given_bytes in changes:
        at = int(place * max(0, len(data) - 1))
        match kind:
            case "flip" if data:
                data[at] ^= 1 << (given_bytes[0] % 8)
            case "insert":
                data[at:at] = given_bytes
            case "overwrite":
                data[at : at + len(given_bytes)] = given_bytes
            case "delete":
                del data[at : at + 1 + given_bytes[0]]
            case "cut":
                del data[at:]
            case _:
                data[at:at] = data[at // 2 : at][:100_000]
    return bytes(data)


def damaged_inside(content: bytes, changes: list[tuple[str, float, bytes]]) -> bytes:
    """Return a package with an intact directory and damaged parts, so that the damage reaches the reader."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for part in old.namelist():
            new.writestr(part, damaged(old.read(part), changes) if "mimetype" not in part else old.read(part))
    return out.getvalue()


_WATCH = """
import os, sys
_log = os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
_roots = {roots!r}
_events = ("os.system", "os.exec", "os.posix_spawn", "os.fork", "subprocess.Popen", "socket.connect",
           "socket.getaddrinfo", "os.remove", "os.rename", "os.mkdir", "os.link", "os.symlink", "os.chmod")

def _watch(event, arguments):
    seen = ""
    if event in _events:
        seen = event
    elif event == "open" and isinstance(arguments[0], (str, bytes)):
        path, flags = os.path.abspath(os.fsdecode(arguments[0])), arguments[2] or 0
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and path != os.devnull
        if writes or not path.startswith(tuple(_roots)):
            seen = "open " + path
    if seen:
        os.write(_log, (seen + "\\n").encode())

sys.addaudithook(_watch)
os.write(_log, b"watching\\n")
"""


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path, ReadingPool]]:
    """A pool whose process reports, by an audit hook, what it runs, sends, writes and opens elsewhere."""
    home, folder = tmp_path_factory.mktemp("hook"), tmp_path_factory.mktemp("folder")
    log = home / "seen.txt"
    log.touch()
    package = Path(records.__file__).parents[2]
    roots = [
        *{sys.prefix, sys.base_prefix, *sys.path[1:]} - {""},
        str(package),
        str(folder),
        "/proc/",
        "/dev/",
        "/usr/",
    ]
    (home / "sitecustomize.py").write_text(_WATCH.format(log=str(log), roots=roots), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(home), os.environ.get("PYTHONPATH", "")]))
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        with ReadingPool(1) as pool:
            yield folder, log, pool


@pytest.mark.parametrize("suffix", SEEDS)
@FUZZ
@given(changes=damage(), inside=st.booleans())
@example(changes=[("cut", 1.0, b"x")], inside=False)
def test_a_damaged_file_has_a_status_and_touches_nothing(
    suffix: str, changes: list[tuple[str, float, bytes]], inside: bool, watched: tuple[Path, Path, ReadingPool]
) -> None:
    folder, log, pool = watched
    seed = SEEDS[suffix]()
    is_package = seed.startswith(b"PK") and inside
    path = folder / f"given.{suffix}"
    path.write_bytes(damaged_inside(seed, changes) if is_package else damaged(seed, changes))
    before = path.read_bytes()
    _check(pool, path)
    assert [file.name for file in folder.iterdir()] == [path.name]
    assert path.read_bytes() == before
    assert set(log.read_text(encoding="utf-8").splitlines()) == {"watching"}
    path.unlink()


def _check(pool: ReadingPool, path: Path) -> None:
    reader = ReaderSettings(ocr=False, max_seconds=SECONDS, max_memory=2_000_000_000)
    root, name = os.fsencode(path.parent), os.fsencode(path.name)
    request = ReadRequest(id=path.name, root=root, path=name, reader=reader, chunks=ChunkSettings())
    (reading,) = pool.read([request])
    assert reading.seconds < SECONDS + 15
    contents = reading.contents
    assert contents.status is FileStatus.INDEXED or contents.reason
    assert contents.status is not FileStatus.TIMED_OUT
    for split in contents.documents:
        document = split.document
        assert all(0 <= chunk.start < chunk.end <= len(document.text) for chunk in split.chunks)
        assert all(0 <= page.start <= page.end <= len(document.text) for page in document.pages)


@pytest.mark.skipif(EXAMPLES < 500, reason="only by `make fuzz`: real files are slow to read")
@pytest.mark.parametrize("name", [path.name for path in sorted(EXAMPLE_FOLDER.iterdir())])
@settings(FUZZ, max_examples=max(1, EXAMPLES // 20))
@given(changes=damage())
def test_a_damaged_real_file_has_a_status(
    name: str, changes: list[tuple[str, float, bytes]], watched: tuple[Path, Path, ReadingPool]
) -> None:
    folder, log, pool = watched
    path = folder / name
    path.write_bytes(damaged((EXAMPLE_FOLDER / name).read_bytes(), changes))
    _check(pool, path)
    assert set(log.read_text(encoding="utf-8").splitlines()) == {"watching"}
    path.unlink()
