"""A person adds documents in a real browser, finds them, and fills a table; by keyboard, on a phone, in the dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from power_plants import ONE, write_folder
from server_clients import opened

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.bb3.commands.serve import open_talks
from investigator.server.service import Service

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"width": 390, "height": 844}


def open_made(folder: Path) -> Investigator:
    settings = load_settings(None, ["reader.max_bytes=100000"])
    workspace = folder.parents[1] / "workspaces" / folder.name
    return Investigator(folder, settings=settings, workspace=workspace, embedder=ScriptedEmbedder())


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Service]:
    with Service([], open_talks=open_talks, open_made=open_made, directory=tmp_path / "data") as service:
        yield service


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder outside of the server, with a subfolder, a hidden file, a link and a large file."""
    folder = write_folder(tmp_path / "plants")
    (folder / "notes").mkdir()
    (folder / "notes" / "a.md").write_text("# Notes\n\nThe Willow plant makes 46 MW of power.\n")
    (folder / ".hidden").write_text("hidden")
    (folder / "linked.txt").symlink_to(folder / "oak.txt")
    return folder


def stored(tmp_path: Path) -> set[str]:
    folder = tmp_path / "data" / "uploads" / "documents"
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def drop(page: Page, *paths: Path) -> None:
    """Drop files and folders of this machine onto the page, as a person does."""
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 200, "data": data})


def test_a_dropped_folder_is_read_and_answers(chromium: Browser, made: Service, outside: Path, tmp_path: Path) -> None:
    page = opened(chromium, made)
    assert page.is_visible("text=This folder has no documents yet")
    drop(page, outside, outside / "oak.txt")
    page.wait_for_selector("table.files")
    names = {f"plants/{path.relative_to(outside).as_posix()}" for path in outside.rglob("*") if path.is_file()}
    assert stored(tmp_path) - {"plants/linked.txt"} == names - {"plants/.hidden", "plants/linked.txt"} | {"oak.txt"}
    page.goto(f"{made.address}/f/documents/")
    page.fill("#question", "How much power does the Willow plant make?")
    page.click("button:has-text('Ask')")
    page.wait_for_url("**/runs/**")
    assert "46 MW" in page.inner_text(".answer")


def test_files_are_chosen_by_keyboard_and_a_name_that_exists_is_kept_or_replaced(
    chromium: Browser, made: Service, outside: Path, tmp_path: Path
) -> None:
    page = opened(chromium, made)
    page.on("filechooser", lambda _: None)  # the browser asks for files here only once somebody listens
    for existing, text in (("both", "one"), ("both", "two"), ("replace", "three")):
        (outside / "new.txt").write_text(text)
        page.goto(f"{made.address}/f/documents/documents")
        page.select_option("#existing", existing)
        page.focus("#pick-files")
        with page.expect_file_chooser() as chooser:
            page.keyboard.press("Enter")
        chooser.value.set_files([outside / "new.txt"])
        page.wait_for_selector("table.files")
        page.wait_for_url("**/documents?job=*" if (existing, text) != ("both", "one") else "**/documents")
    folder = tmp_path / "data" / "uploads" / "documents"
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"new.txt": "three", "new (2).txt": "two"}
    assert "1 file changed" in page.inner_text("[role=status]")


def test_what_is_refused_is_named_and_the_rest_is_kept(
    chromium: Browser, made: Service, outside: Path, tmp_path: Path
) -> None:
    (outside / "big.txt").write_text("x" * 200_000)
    page = opened(chromium, made)
    page.set_input_files("#pick-files", [outside / "big.txt", outside / "oak.txt"])
    page.wait_for_selector("#refused li")
    assert "big.txt: it has 200 kB, and a file may have at most 100 kB" in page.inner_text("#refused")
    assert "1 of 2 files added" in page.inner_text("#adding")
    assert stored(tmp_path) == {"oak.txt"}
    page.wait_for_selector("text=The other files are being read.")
    assert not page.is_visible("#then-read")
    page.goto(f"{made.address}/f/documents/documents")
    page.wait_for_selector("table.files")
    page.route("**/index", lambda route: route.fulfill(status=429, body="too many jobs"))
    page.set_input_files("#pick-files", [outside / "big.txt", outside / "elm.txt"])
    page.wait_for_selector("text=could not be read yet")
    page.unroute("**/index")
    page.click("#then-read button")
    page.wait_for_selector("td.name:has-text('elm.txt')")


def test_documents_are_found_as_one_types_and_sorted(chromium: Browser, service: Service) -> None:
    page = opened(chromium, service)
    page.goto(f"{service.address}/f/plants/documents")
    page.wait_for_selector("table.files")
    page.focus("#find-files")
    page.keyboard.type("letter")
    page.wait_for_selector("text=3 files of 9 with these words")
    page.click("th a:has-text('Document')")
    page.wait_for_url("**sort=name**")
    names = page.locator("table.files td.name").all_inner_texts()
    assert names == sorted(names, reverse="down=true" in page.url)
    page.fill("#find-files", "zzz")
    page.wait_for_selector("text=No file has these words")


def test_a_table_fills_and_shows_quotes_and_documents(chromium: Browser, service: Service) -> None:
    page = opened(chromium, service)
    page.goto(f"{service.address}/f/plants/matrix")
    page.wait_for_selector("#questions")
    page.fill("#questions", "How much power does the plant make?\nWhen was the plant opened?")
    page.click("text=Fill the table")
    page.wait_for_url("**/matrix/matrix-*")
    cell = page.locator("tr[data-document='cedar.txt'] a.cell").first
    cell.focus()
    assert "It makes 42 MW of power." in page.inner_text("#quoted")
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer mark")
    page.keyboard.press("Escape")
    assert not page.is_visible("#viewer")
    with page.expect_download() as saved:
        page.click("text=XLSX")
    assert saved.value.suggested_filename.endswith(".xlsx")
    page.set_viewport_size({"width": 1000, "height": 300})
    cut = "(box => box.scrollHeight > box.clientHeight)(document.querySelector('.tall'))"
    assert page.evaluate(cut)
    page.emulate_media(media="print")
    assert not page.evaluate(cut), "paper does not scroll"
    assert (cell.is_visible(), page.is_visible(".act"), page.is_visible(".delete")) == (True, False, False)


def test_three_hundred_columns_scroll_in_their_box_beside_the_names(chromium: Browser, service: Service) -> None:
    page = opened(chromium, service, viewport=PHONE)
    page.goto(f"{service.address}/f/plants/matrix")
    page.wait_for_selector("#questions")
    page.fill("#questions", "\n".join(f"How much power does it make on day {day}?" for day in range(300)))
    page.click("summary")
    page.fill("input[name=only]", "oak.txt")
    page.click("text=Fill the table")
    page.wait_for_url("**/matrix/matrix-*")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.evaluate("document.querySelector('.scroll').scrollLeft = 20000")
    assert page.evaluate("document.querySelector('.scroll').scrollLeft") > 10_000
    name = page.locator("tbody th").first.bounding_box()
    assert name is not None
    assert 0 <= name["x"] < 30


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_everybody_can_read_the_pages_of_a_folder(
    chromium: Browser, made: Service, outside: Path, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = opened(chromium, made, viewport=PHONE, color_scheme=scheme, bypass_csp=True)

    def assert_readable(place: str) -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], place
        violations = axe.run(page).response["violations"]
        serious = [v for v in violations if v["impact"] in ("serious", "critical")]
        assert [f"{place} {v['id']}: {v['nodes'][0]['html']}" for v in serious] == []

    assert_readable("empty")
    page.set_input_files("#pick-files", sorted(outside.glob("[a-z]*.txt")))
    page.wait_for_selector("table.files")
    assert_readable("documents")
    page.goto(f"{made.address}/f/documents/matrix")
    assert_readable("matrices")
    page.fill("#questions", ONE)
    page.click("text=Fill the table")
    page.wait_for_url("**/matrix/matrix-*")
    page.wait_for_selector("a.cell")
    assert_readable("matrix")
    for place in ("folders", "f/documents/remove?path=oak.txt"):
        page.goto(f"{made.address}/{place}")
        assert_readable(place)
