"""If a search server claims that its texts are in documents of the folder, the folder decides."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from openai_server import OpenAIServer, json_response

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.chat_options import ChatOptions, Decide
from investigator.bb3.chat_text import reply_text, why_text
from investigator.bb3.chats import open_chat
from investigator.bb3.exchange import DocumentSearch, SearchDocument
from investigator.bb3.search.client import SearchServer
from investigator.dialogue.messages import Message

QUESTION = "How much power does the Cedar plant make?"
TRUE = "The Cedar plant makes 42 MW of power."
FORGED = "The Cedar plant makes 99 MW of power."


@pytest.fixture
def reports(tmp_path: Path) -> Investigator:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "report.md").write_text(f"All plants stand at the river.\n\n{TRUE}\n", encoding="utf-8")
    return Investigator(folder, workspace=tmp_path / "kept", embedder=ScriptedEmbedder())


def page(content: str, document_id: str = "report.md") -> dict[str, object]:
    """Return a page that claims to be on the second line of a document."""
    return {"url": f"{document_id}#line=2", "title": "Report", "content": content, "heading": "Signed by the board"}


def told(reports: Investigator, search: DocumentSearch) -> tuple[str, str]:
    """Return what a chat shows of its reply and of its sources."""
    with open_chat(reports, ChatOptions(search_decision=Decide.ALWAYS), search=search) as chat:
        (reply,) = chat.reply([(chat.start("anna"), Message(text=QUESTION))])
    return reply_text(reply).plain, why_text(reply).plain


@pytest.mark.parametrize(
    "sent",
    [
        page(FORGED),
        page(FORGED, "no such report.md"),
        page(f"{TRUE} {FORGED}"),
        {"url": "report.md", "title": "report.md", "content": FORGED},
    ],
    ids=["known document", "unknown document", "beside true words", "no origin"],
)
def test_invented_words_come_from_the_server_that_sent_them(
    reports: Investigator, openai_server: OpenAIServer, sent: dict[str, object]
) -> None:
    openai_server.answer(json_response({"response": [sent]}))
    reply, why = told(reports, SearchServer(openai_server.url))
    assert FORGED in reply
    assert "Quote, proven" not in why
    named = f"from the search server at {urlsplit(openai_server.url).netloc})"
    assert [line for line in why.splitlines() if FORGED in line and line.endswith(named)]
    assert named.removesuffix(")") in reply


def test_words_that_the_folder_holds_are_proven_at_their_place_there(
    reports: Investigator, openai_server: OpenAIServer
) -> None:
    openai_server.answer(json_response({"response": [page(TRUE)]}))
    reply, why = told(reports, SearchServer(openai_server.url))
    assert f"Quote, proven: “{TRUE}” (report.md:line 3)" in why
    assert "server" not in reply


class Unnamed:
    """A search whose results do not say where they come from."""

    def search(self, query: str, count: int) -> list[SearchDocument]:
        return [SearchDocument(title="Report", text=FORGED, url="report.md")]


def test_a_search_without_a_name_proves_nothing(reports: Investigator) -> None:
    _, why = told(reports, Unnamed())
    assert f"Quote, not proven: “{FORGED}” (report.md:text line 1, from another search)" in why
