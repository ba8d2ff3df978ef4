"""Defines InvestigatorAgent, an agent that answers questions about documents in a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Protocol, runtime_checkable

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.errors import DialogueError, QuestionError
from investigator.records.answers import Answer

NOTHING_ASKED = "Please ask me a question about the documents."
NOT_ASKED = "not_asked"
"""The status of a reply to a message that is not a question."""


@runtime_checkable
class AnswersQuestions(Protocol):
    """Anything that answers questions, such as an Investigator."""

    def ask(self, question: str) -> Answer:
        """Return the answer to one question."""
        ...


class InvestigatorAgent(Agent):
    """Answers each question from the documents, independently of earlier questions.

    Replies have `text`, `status`, and `citations` (quotes in their wire format). A message that is not a question, such
    as an empty string, gets a polite reply without an investigation. Copies share the `investigator`, which is asked
    one question at a time. All other errors from the investigation are raised.
    """

    def __init__(
        self,
        opt: Mapping[str, object] | None = None,
        shared: Shared | None = None,
        *,
        investigator: AnswersQuestions | None = None,
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "investigator")
        common = (shared or {}).get("client")
        if not isinstance(common, _SharedInvestigator):
            common = _SharedInvestigator(investigator)
        self._client = common

    def act(self) -> Message:
        (act,) = self.batch_act([self.observation])
        return act

    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        """Return the answers to several messages, in order. Identical questions are asked only once, and padding is not
        answered.
        """
        heard = [observation or Message() for observation in observations]
        questions = tuple(dict.fromkeys(message.text.strip() for message in heard if not message.is_padding()))
        replies = {question: self._client.answer(question) for question in questions}
        acts = [Message(id=self.id, episode_done=False) for _ in heard]
        for act, message in zip(acts, heard, strict=True):
            if not message.is_padding():
                act.update(replies[message.text.strip()])
        return acts

    def share(self) -> dict[str, object]:
        return {**super().share(), "client": self._client}


class _SharedInvestigator:
    """An investigator shared by copies of an agent. It is asked one question at a time, because a workspace has one
    writer.
    """

    def __init__(self, investigator: AnswersQuestions | None) -> None:
        if not isinstance(investigator, AnswersQuestions):
            hint = 'Pass an investigator: InvestigatorAgent(investigator=Investigator("my_folder"))'
            raise DialogueError("the agent has no investigator to ask", hint=hint)
        self._investigator = investigator
        self._turn = Lock()

    def answer(self, question: str) -> Mapping[str, object]:
        """Return the fields of the reply."""
        if not question:
            return _unasked(NOTHING_ASKED)
        try:
            with self._turn:
                answer = self._investigator.ask(question)
        except QuestionError as error:
            return _unasked(f"I cannot answer this: {error.message}. {error.hint}")
        citations = [quote.model_dump(mode="json") for quote in answer.citations]
        return {"text": answer.text, "status": str(answer.status), "citations": citations}


def _unasked(text: str) -> Mapping[str, object]:
    return {"text": text, "status": NOT_ASKED, "citations": []}
