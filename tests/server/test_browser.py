"""Tests in a real browser: ask, watch, read, and click citations of six formats; by keyboard, on a phone, in the dark.
They need Chromium (`apt-get install chromium`) and are skipped without it.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest
from power_plants import ABSENT, ALL, ONE
from power_plants import read as reply_of
from server_clients import opened, serving

from investigator import ScriptedEngine
from investigator.records import CheckVariables, Prompt
from investigator.server.models import Models
from investigator.server.service import Service

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

EXAMPLES = Path(__file__).parents[2] / "data" / "examples" / "child-health"
QUESTIONS = {
    "gambia-co-artemether-transmission.pdf": "How many children were enrolled and randomised between treatment groups?",
    "iodine-in-pregnancy.xml": "What was the gestational age at trial entry in the iodine group?",
    "italy-parent-video.html": "Who watched the video?",
    "madagascar-malaria-drugs.docx": "What was the efficacy of combination therapies in Madagascar in studies?",
    "newborn-resuscitation.md": "Who performed resuscitation on a newborn manikin?",
    "burkina-faso-bed-nets.txt": "What did the bed nets reduce?",
}
"""A question for a document of each format."""


def letters(text: str) -> str:
    """Return a text without spaces and bars, because a page has others between lines and table cells."""
    return "".join(text.replace("|", " ").split())


def ask(page: Page, question: str) -> None:
    page.fill("#question", question)
    page.click("button:has-text('Ask')")


def test_each_citation_of_six_formats_opens_its_document_at_the_quote(chromium: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name in QUESTIONS:
        shutil.copy(EXAMPLES / name, folder)
    formats = set()
    with serving(folder, tmp_path / "data") as service:
        page = opened(chromium, service)
        for name, question in QUESTIONS.items():
            page.goto(f"{service.address}/f/papers/")
            page.click("summary:has-text('More')")
            page.fill("input[name=only]", name)
            ask(page, question)
            page.wait_for_url("**/runs/**")
            assert page.locator(".answer .opens").count()
            for number in range(page.locator(".answer .opens").count()):
                page.locator(".answer .opens").nth(number).click()
                page.wait_for_selector("#viewer .marks rect, #viewer mark")
                cited = page.locator(".sources > li[aria-current]")
                quote = cited.locator("blockquote").inner_text()
                if page.locator("#viewer .marks rect").count():
                    formats.add("picture")
                else:
                    assert letters("".join(page.locator("#viewer mark").all_inner_texts())) == letters(quote)
                    formats.add(name.rpartition(".")[2])
                page.keyboard.press("Escape")
            if name.endswith(".pdf"):
                report = tmp_path / "report.html"
                report.write_bytes(page.context.request.get(f"{page.url.partition('#')[0]}/save/html").body())
    assert_leads_to_its_quotes_without_script(chromium, report)
    assert formats == {"picture", "xml", "html", "docx", "md", "txt"}


def assert_leads_to_its_quotes_without_script(chromium: Browser, report: Path) -> None:
    """Each source leads to the marked words on the picture of the page."""
    page = chromium.new_context(java_script_enabled=False).new_page()
    page.goto(report.as_uri())
    pictures = page.locator(".sources > li a", has_text="picture of the page")
    assert pictures.count()
    for number in range(pictures.count()):
        pictures.nth(number).click()
        marked = page.locator(".sheet:has(.spot:target) .marks rect").first.bounding_box()
        assert marked is not None
        assert 0 <= marked["y"] < 720


def test_what_happens_survives_a_reload_and_is_seen_in_two_tabs(chromium: Browser, service: Service) -> None:
    first = opened(chromium, service)
    ask(first, ONE)
    first.wait_for_url("**/jobs/**", wait_until="commit")
    second = first.context.new_page()
    second.goto(first.url)
    first.reload()
    for page in (first, second):
        page.wait_for_url("**/runs/**")
        assert "It makes 42 MW of power." in page.inner_text(".answer")


def test_by_keyboard_alone_a_reader_asks_opens_a_source_and_comes_back(chromium: Browser, service: Service) -> None:
    page = opened(chromium, service)
    page.focus("#question")
    page.keyboard.type(ONE)
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("In MW?")
    assert page.input_value("#question") == f"{ONE}\nIn MW?"
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/**")
    page.focus(".opens")
    page.keyboard.press("Enter")
    page.wait_for_selector("#viewer mark")
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    assert not page.is_visible("#viewer")
    assert page.evaluate("document.activeElement.className") == "opens"


@pytest.fixture
def read(plants: Path, tmp_path: Path) -> Iterator[Service]:
    """A server whose documents are read by a model, whose check takes its time, or by the built-in search."""

    def slow(prompt: Prompt) -> str:
        time.sleep(2 if isinstance(prompt.variables, CheckVariables) else 0)
        return reply_of(prompt)

    models = Models({"scripted:demo": (), "extractive": ("extractive",)})
    with serving(plants, tmp_path, model=ScriptedEngine(slow), models=models) as service:
        yield service


def test_an_answer_grows_without_moving_what_a_reader_sees(chromium: Browser, read: Service) -> None:
    page = opened(chromium, read, viewport={"width": 390, "height": 844})
    page.add_init_script("""
        const shifts = JSON.parse(sessionStorage.shifts ??= "[]");
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) shifts.push(entry.value);
          sessionStorage.shifts = JSON.stringify(shifts);
        }).observe({ type: "layout-shift", buffered: true });""")
    ask(page, ALL)
    page.wait_for_url("**/jobs/**", wait_until="commit")
    page.locator("#draft", has_text="They produce").wait_for()
    page.wait_for_url("**/runs/**")
    assert sum(page.evaluate("JSON.parse(sessionStorage.shifts)")) < 0.02


def test_the_answer_is_seen_first_and_says_by_keyboard_and_touch_how_it_was_checked(
    chromium: Browser, read: Service
) -> None:
    for size in ({"width": 1280, "height": 800}, {"width": 390, "height": 844}):
        page = opened(chromium, read, viewport=size, has_touch=True)
        ask(page, ONE)
        page.wait_for_url("**/runs/**")
        lead = page.locator(".lead").bounding_box()
        assert lead is not None
        assert lead["y"] + lead["height"] < size["height"] / 2
        assert not page.is_visible("#run > dl")
        peek = page.locator(".lead .check .peek")
        assert not peek.is_visible()
        page.focus(".lead .check")
        assert peek.inner_text() == "Supported by its quotes. Checked by scripted."
        page.keyboard.press("Tab")
        peek.wait_for(state="hidden")
        page.locator(".lead .check").tap()
        peek.wait_for()


def test_a_model_is_chosen_by_keyboard_and_what_is_too_long_stays_and_is_not_sent(
    chromium: Browser, read: Service
) -> None:
    page = opened(chromium, read)
    page.focus(".pick-model summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.inner_text(".pick-model summary") == "Read by Built-in search"
    page.click("summary:has-text('More')")
    page.focus("textarea[name=outline]")
    page.keyboard.type("A heading")
    page.keyboard.press("Enter")
    assert page.input_value("textarea[name=outline]") == "A heading\n"
    page.fill("textarea[name=outline]", "")
    long = "A line of a long text that somebody pasted here.\n" * 250
    page.fill("#question", long)
    page.keyboard.press("Enter")
    assert page.inner_text(".over") == "12,250 characters; at most 10,000 can be sent."
    assert page.input_value("#question") == long
    ask(page, ONE)
    page.wait_for_url("**/runs/**")
    assert page.locator(".answer .sources").is_visible()


def test_enter_is_a_new_line_where_several_questions_are_written(chromium: Browser, read: Service) -> None:
    page = opened(chromium, read)
    page.goto(urljoin(page.url, "matrix"))
    page.click("#questions")
    page.keyboard.type("Who owns it?")
    page.keyboard.press("Enter")
    page.keyboard.type("When was it built?")
    assert page.input_value("#questions") == "Who owns it?\nWhen was it built?"


def test_the_answer_is_copied_with_its_sources_and_printed_without_controls(chromium: Browser, read: Service) -> None:
    page = opened(chromium, read, permissions=["clipboard-read", "clipboard-write"])
    ask(page, ONE)
    page.wait_for_url("**/runs/**")
    page.click("#copy")
    page.locator("#copy", has_text="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "It produces 42 MW. [1]" in copied
    assert "[1] cedar.txt:line 1" in copied
    page.emulate_media(media="print")
    for place in (".top", ".ask", ".saving", ".check", "#run"):
        assert not page.locator(place).first.is_visible()
    assert page.is_visible("#source-1 blockquote")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_it_and_everybody_can_read_it(
    chromium: Browser, service: Service, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    phone = {"width": 390, "height": 844}
    page = opened(chromium, service, viewport=phone, color_scheme=scheme, bypass_csp=True)
    ask(page, ABSENT)
    page.wait_for_url("**/runs/**")
    run = page.url
    page.goto(f"{service.address}/f/plants/chats")
    page.fill("#said", ONE)
    page.click("button:has-text('Send')")
    page.wait_for_selector(".turn .opens")
    page.wait_for_selector("#said")
    for place in (page.url, "", "documents", "runs", "search?q=cedar", run):
        page.goto(place if place.startswith("http") else f"{service.address}/f/plants/{place}")
        page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= phone["width"]
        violations = axe.run(page).response["violations"]
        assert [
            f"{violation['id']}: {violation['nodes'][0]['html']}"
            for violation in violations
            if violation["impact"] in ("serious", "critical")
        ] == []
