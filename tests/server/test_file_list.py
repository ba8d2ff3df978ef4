"""Files are listed with the date of the document and its source, sorted, searched, and cut into parts."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from power_plants import write_folder

from investigator import Investigator, ScriptedEmbedder
from investigator.records import DocumentCard, FileRecord, FileStatus, FolderStatus, Imprint, Notice
from investigator.server.file_list import MOST_ROWS, FileLists, FileOrder, date_of, update_line
from investigator.server.records import JobKind, JobRequest, JobState, ServerJob
from investigator.server.service import Service

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("name", "stated", "own", "expected"),
    [
        ("minutes 2025-03-12.docx", "2025-03-14", "2013-12-23", ("2025-03-14", "stated in the document")),
        ("minutes 2025-03-12.docx", None, "2013-12-23", ("2025-03-12", "file name")),
        ("notes_12 March 2025.txt", None, None, ("2025-03-12", "file name")),
        ("05-06-2025.txt", None, "2024-01-02", ("2024-01-02", "file property")),  # a day with two readings
        ("complaint.eml", None, "2024-01-02", ("2024-01-02", "stated in the document")),
        ("report.docx", None, "2013-12-23", ("2013-12-23", "file property")),
        ("report 7.docx", None, None, ("1970-01-03", "last modified")),
    ],
)
def test_a_date_comes_from_the_text_before_the_name_the_properties_and_the_last_change(
    name: str, stated: str | None, own: str | None, expected: tuple[str, str]
) -> None:
    card = DocumentCard(document_id=name, title="", date=own, imprint=Imprint(dated=stated))
    date, source = date_of(card, name, mtime_ns=2 * 86_400 * SECOND + 43_200 * SECOND)
    assert (date, source.value if source else "") == expected


def test_files_that_could_not_be_read_come_first_and_parts_follow_each_other(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "plants")
    for number in range(MOST_ROWS):
        (folder / f"note-{number:03}.txt").write_text(f"Note {number} is short.")
    (folder / "z.bin").write_bytes(bytes(range(256)))
    investigator = Investigator(folder, workspace=tmp_path / "workspace", embedder=ScriptedEmbedder())
    for _ in investigator.index():
        pass
    lists = FileLists()
    files = lists.of(investigator)
    assert lists.of(investigator) is files
    part = files.part("", FileOrder.PROBLEMS, down=False, first=0)
    assert (part.rows[0].file.path, part.total, part.later) == ("z.bin", MOST_ROWS + 10, MOST_ROWS)
    rest = files.part("", FileOrder.PROBLEMS, down=False, first=MOST_ROWS)
    assert (len(rest.rows), rest.later) == (10, None)
    named = files.part("NOTE 19", FileOrder.NAME, down=True, first=0)
    assert [row.file.path for row in named.rows] == [
        f"note-{n:03}.txt" for n in range(MOST_ROWS - 1, -1, -1) if "19" in f"{n:03}"
    ]
    (folder / "new.txt").write_text("A new one.")
    for _ in investigator.index():
        pass
    assert lists.of(investigator) is not files


def status_of(**hashes: str) -> FolderStatus:
    files = [
        FileRecord(path=name, content_hash=text, status=FileStatus.INDEXED if text else FileStatus.UNSUPPORTED)
        for name, text in hashes.items()
    ]
    return FolderStatus(files=tuple(files), documents=0, chunks=0, without_vectors=0)


def test_an_update_says_what_has_changed() -> None:
    before = status_of(a="1", b="1", c="1")
    after = status_of(a="1", b="2", d="1", e="1", f="")
    assert update_line(before, after) == "3 files added, 1 file changed, 1 file removed, 1 file could not be read."
    assert update_line(after, after) == "Nothing has changed, 1 file could not be read."
    assert update_line(None, before) == "3 files added."


@pytest.mark.parametrize(
    ("kind", "state", "is_shown"),
    [
        (JobKind.INDEX, JobState.DONE, True),
        (JobKind.INDEX, JobState.FAILED, False),
        (JobKind.READ, JobState.DONE, False),
    ],
)
def test_only_an_update_that_was_finished_is_reported_and_nothing_is_said_of_the_files_since(
    service: Service, browser: httpx.Client, kind: JobKind, state: JobState, is_shown: bool
) -> None:
    ledger = service.desk.folder("plants").ledger
    request = JobRequest(folder="plants", kind=kind)
    ledger.add(ServerJob(id=f"{kind}-{state}", request=request, created="2026-01-01", state=state))
    ledger.log(f"{kind}-{state}", Notice(text="the index is locked; retrying."))
    page = browser.get("/f/plants/documents", params={"job": f"{kind}-{state}"}).text
    assert ("The index was updated.</strong> the index is locked" in page) is is_shown
    assert ("up to date" in page, "retrying" in page) == (False, is_shown)
