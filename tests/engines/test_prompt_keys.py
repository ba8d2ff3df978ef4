"""The key under which a reply is stored, and the role that a template belongs to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from investigator.engines.base import prompt_key
from investigator.engines.roles import Role, role_of
from investigator.records import AnswerReply, AskReply, AskVariables, Passage, Prompt, QuestionVariables

VARIABLES = QuestionVariables(document_id="a.txt", purpose="why", perspectives="")
PROMPT = Prompt("query/ask.j2", VARIABLES, "text", AskReply)


def test_the_key_is_the_same_in_every_process() -> None:
    assert prompt_key("openai:m", PROMPT) == "0e31f00479f8dc2fe7b5496dbefa9ac69ccef4b61bed3113527d1b573a81fbfd"


@pytest.mark.parametrize(
    "other",
    [
        replace(PROMPT, template="query/other.j2"),
        replace(PROMPT, text="text "),
        replace(PROMPT, variables=VARIABLES.changed(purpose="how")),
        replace(PROMPT, reply_type=AnswerReply),
    ],
    ids=["template", "text", "variables", "reply type"],
)
def test_every_part_of_the_prompt_changes_the_key(other: Prompt) -> None:
    assert prompt_key("openai:m", other) != prompt_key("openai:m", PROMPT)


def test_what_a_search_measured_counts_only_for_an_engine_that_goes_by_it() -> None:
    def asked(match: float, text: str = "The mill burned.") -> Prompt:
        passage = Passage(document_id="a.txt", start=0, end=len(text), text=text, score=match, document_match=match)
        variables = AskVariables(
            main_question="q",
            mission="m",
            sub_question="q",
            document_id="a.txt",
            document_title="a",
            needs=(),
            passages=(passage,),
        )
        return Prompt("query/ask.j2", variables, "text", AskReply)

    assert prompt_key("openai:m", asked(0.2)) == prompt_key("openai:m", asked(0.9))
    assert prompt_key("openai:m", asked(0.2)) != prompt_key("openai:m", asked(0.2, "The mill stands."))
    assert prompt_key("extractive", asked(0.2), measures=True) != prompt_key("extractive", asked(0.9), measures=True)


def test_another_engine_has_another_key() -> None:
    assert prompt_key("openai:m", PROMPT) != prompt_key("openai:n", PROMPT)


def test_text_that_is_not_valid_unicode_has_a_key() -> None:
    broken = replace(PROMPT, text="half \ud800", variables=VARIABLES.changed(purpose="\udfff"))
    assert len(prompt_key("openai:m", broken)) == 64


@pytest.mark.parametrize(
    ("template", "role"),
    [
        ("critical_thinking/think.j2", Role.THINK),
        ("planner/plan.j2", Role.PLAN),
        ("query/ask.j2", Role.ASK),
        ("reflection/reflect.j2", Role.REFLECT),
        ("answer/answer.j2", Role.ANSWER),
        ("query/ask", Role.ASK),
        ("bb3/sdm", Role.CHAT),
    ],
)
def test_a_template_belongs_to_the_role_of_its_owner(template: str, role: Role) -> None:
    assert role_of(template) is role


@pytest.mark.parametrize("template", ["tactical_planning/question.j2", "", "ask.j2"])
def test_a_template_that_no_engine_answers_has_no_role(template: str) -> None:
    with pytest.raises(ValueError, match="no role"):
        role_of(template)
