"""A prompt for the tests of chat models."""

from __future__ import annotations

from investigator.records import AskReply, Prompt, QuestionVariables

PROMPT = Prompt(
    template="query/ask.j2",
    variables=QuestionVariables(document_id="a.txt", purpose="p", perspectives=""),
    text="How old is the bridge?",
    reply_type=AskReply,
)
