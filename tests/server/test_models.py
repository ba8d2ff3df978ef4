"""A question is asked with the model that the reader chooses, who sees what it costs and where the text goes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pytest
from openai_server import OpenAIServer, refusal
from power_plants import ONE, index, sensible
from server_clients import answer_page, browser_of, end_page, serving

from investigator import load_settings
from investigator.engines.catalogue import model_choices
from investigator.errors import SettingsError
from investigator.server.models import Models

SMALL, DEAR = "openai:gpt-4o-mini", "anthropic:claude-sonnet-4-5"


@pytest.fixture
def reader(plants: Path, tmp_path: Path, openai_server: OpenAIServer) -> Iterator[httpx.Client]:
    """A browser at a server that offers the built-in search first, and two models."""
    openai_server.answer(sensible)
    index(plants, tmp_path / "workspace")
    chat = {"base_url": openai_server.url, "api_key": "k-0123456789", "attempts": 1}
    settings = load_settings(None, [f"chat.{name}={value}" for name, value in chat.items()])
    models = Models({"extractive": ("extractive",), SMALL: (SMALL,), DEAR: (DEAR,)})
    with serving(plants, tmp_path, settings=settings, models=models) as service, browser_of(service) as client:
        yield client


def chosen(page: httpx.Response) -> str:
    """Return the name of the model that is chosen in the form of a page."""
    (name,) = re.findall(r'name="model" value="([^"]*)" checked', page.text)
    return unescape(name)


def test_each_model_says_what_it_costs_and_where_the_text_goes(reader: httpx.Client) -> None:
    listed = re.findall(r"<b>([^<]+)</b><small>([^<]+)</small>", reader.get("/f/plants/").text)
    assert listed[0] == ("Built-in search", "free, on this machine")
    assert listed[1] == (SMALL, "$0.15 in and $0.60 out per million tokens, on this machine")


def test_a_question_is_asked_with_the_chosen_model_which_stays_chosen(reader: httpx.Client) -> None:
    assert chosen(reader.get("/f/plants/")) == ""
    page = answer_page(reader, "plants", ONE, model=SMALL)
    assert "It produces 42 MW." in page.text
    assert chosen(page) == chosen(reader.get("/f/plants/")) == SMALL
    again = reader.post(f"{page.url.path}/resume", follow_redirects=False)
    assert end_page(reader, again).url == page.url


def test_passages_that_nobody_has_read_can_be_asked_again_with_a_model(reader: httpx.Client) -> None:
    page = answer_page(reader, "plants", ONE)
    assert "choose it below and ask again" in page.text
    assert re.search(rf"<textarea[^>]*>{re.escape(ONE)}</textarea>", page.text)
    assert 'name="after"' not in page.text
    assert 'name="after"' in answer_page(reader, "plants", ONE, model=SMALL).text


def test_a_model_that_is_not_offered_is_refused_and_the_question_stays(reader: httpx.Client) -> None:
    refused = reader.post("/f/plants/ask", data={"question": ONE, "model": "os:system"})
    assert refused.status_code == 422
    assert "does not offer" in refused.text
    assert ONE in refused.text


def test_a_wrong_key_is_told_with_the_question_in_a_form_for_another_model(
    reader: httpx.Client, openai_server: OpenAIServer
) -> None:
    openai_server.answer(refusal(401, "Incorrect API key provided. See https://evil.example/x"))
    page = answer_page(reader, "plants", ONE, model=SMALL)
    assert f"at {openai_server.url} rejected the key" in page.text
    assert "hxxps://evil[.]example/x" in page.text
    assert re.search(rf"<textarea[^>]*>{re.escape(ONE)}</textarea>", page.text)
    assert "It makes 42 MW" in answer_page(reader, "plants", ONE, model="").text


def test_several_models_are_a_choice_and_models_of_one_role_go_with_each() -> None:
    assert model_choices([SMALL, "check=extractive", DEAR]) == {
        SMALL: (SMALL, "check=extractive"),
        DEAR: (DEAR, "check=extractive"),
    }
    assert model_choices([]) == {}
    with pytest.raises(SettingsError, match="not a role"):
        model_choices(["chek=extractive"])
