from __future__ import annotations

import os
from pathlib import Path

import pytest

from investigator.cli.output import EXPORTS, HTML, check_report, write_report
from investigator.errors import RunError, UserError
from investigator.records import Investigation, RunSetup
from investigator.reports.html import NO_ENCLOSURES

CASE = Investigation(id="8f3a12", question="What is the rent?", setup=RunSetup(engine="a:b"))


def test_looking_whether_a_report_can_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    check_report(tmp_path / "a.html", tmp_path / "documents")

    assert list(tmp_path.iterdir()) == []


def test_a_report_replaces_the_old_one_and_nothing_else_is_left(tmp_path: Path) -> None:
    report = tmp_path / "a.html"
    report.write_text("old", encoding="utf-8")

    write_report(report, CASE, NO_ENCLOSURES)

    assert list(tmp_path.iterdir()) == [report]
    assert "What is the rent?" in report.read_text(encoding="utf-8")


def test_a_report_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    write_report(tmp_path / "a.html", CASE, NO_ENCLOSURES)

    assert (tmp_path / "a.html").stat().st_mode & 0o777 == 0o600


def test_a_report_that_fails_at_the_end_names_the_run_that_is_kept(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="could not be written") as failed:
        write_report(tmp_path / "gone" / "a.html", CASE, NO_ENCLOSURES)

    assert "investigator show 8f3a12" in failed.value.hint


def test_a_report_among_the_documents_is_remarked_upon(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_report(tmp_path / "documents.html", tmp_path / "documents")
    assert capsys.readouterr().err == ""

    check_report(tmp_path / "a.html", tmp_path)
    assert "inside the folder of documents" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="file names are text on Windows")
def test_a_report_name_that_is_not_utf8_is_no_obstacle(tmp_path: Path) -> None:
    report = tmp_path / os.fsdecode(b"caf\xe9.html")

    check_report(report, tmp_path)
    write_report(report, CASE, NO_ENCLOSURES)

    assert report.is_file()


def test_a_report_takes_the_place_of_an_older_report_and_of_no_other_file(tmp_path: Path) -> None:
    older, page = tmp_path / "older.html", tmp_path / "page.html"
    write_report(older, CASE, NO_ENCLOSURES)
    page.write_text("<html><title>A page of my own</title></html>", encoding="utf-8")

    check_report(older, tmp_path / "documents")
    with pytest.raises(UserError, match="not a report of this program"):
        check_report(page, tmp_path / "documents")


@pytest.mark.parametrize("suffix", EXPORTS)
def test_an_export_goes_outside_the_documents_and_over_no_other_file(tmp_path: Path, suffix: str) -> None:
    documents, place = tmp_path / "documents", tmp_path / f"answer{suffix}"
    documents.mkdir()
    check_report(place, documents, (*HTML, *EXPORTS))
    write_report(place, CASE.changed(id="20261122-160334-840172"), NO_ENCLOSURES)
    check_report(place, documents, (*HTML, *EXPORTS))
    assert place.stat().st_mode & 0o777 == 0o600

    place.write_text('{"mine": 1}')
    with pytest.raises(UserError, match="is not a report of this program"):
        check_report(place, documents, (*HTML, *EXPORTS))
    with pytest.raises(UserError, match="inside the folder"):
        check_report(documents / f"a{suffix}", documents, (*HTML, *EXPORTS))
