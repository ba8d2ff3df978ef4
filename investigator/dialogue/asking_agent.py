"""InvestigatorAgent: answers questions about documents, as an agent in a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore
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
    """Answers questions from the documents, each independently of the others.

    Replies have `text`, `status`, and `citations` (quotes in their wire form). A message that is not a question, such
    as an empty text, gets a polite reply without an investigation. Copies share the `investigator`, which gets at most
    `at_once` questions at the same time: one by default, because a workspace has one writer. Errors of the
    investigation are passed on.
    """

    def __init__(
        self,
        opt: Mapping[str, object] | None = None,
        shared: Shared | None = None,
        *,
        investigator: AnswersQuestions | None = None,
        at_once: int = 1,
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "investigator")
        common = (shared or {}).get("client")
        if not isinstance(common, _SharedInvestigator):
            common = _SharedInvestigator(investigator, at_once)
        self._client = common

    def act(self) -> Message:
        (act,) = self.batch_act([self.observation])
        return act

    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        """Return the answers to several messages, in order. Equal questions are asked once; padding gets no answer."""
        heard = [observation or Message() for observation in observations]
        questions = tuple(dict.fromkeys(message.text.strip() for message in heard if not message.is_padding()))
        replies = dict(zip(questions, self._client.answers(questions), strict=True))
        acts = [Message(id=self.id, episode_done=False) for _ in heard]
        for act, message in zip(acts, heard, strict=True):
            if not message.is_padding():
                act.update(replies[message.text.strip()])
        return acts

    def share(self) -> dict[str, object]:
        return {**super().share(), "client": self._client}


class _SharedInvestigator:
    """The investigator shared by copies of an agent; questions wait for a free slot."""

    def __init__(self, investigator: AnswersQuestions | None, at_once: int) -> None:
        if not isinstance(investigator, AnswersQuestions):
            hint = 'Pass one: InvestigatorAgent(investigator=Investigator("my_folder"))'
            raise DialogueError("the agent has no investigator to ask", hint=hint)
        if at_once < 1:
            raise DialogueError(f"at_once must be 1 or more, it is {at_once}", hint="Leave it out for one at a time.")
        self._investigator = investigator
        self._at_once = at_once
        self._places = BoundedSemaphore(at_once)

    def answers(self, questions: Sequence[str]) -> list[Mapping[str, object]]:
        """Return the fields of the replies, in order."""
        if self._at_once == 1 or len(questions) < 2:
            return [self._answer(question) for question in questions]
        with ThreadPoolExecutor(min(self._at_once, len(questions)), thread_name_prefix="investigator-ask") as threads:
            return list(threads.map(self._answer, questions))

    def _answer(self, question: str) -> Mapping[str, object]:
        if not question:
            return _unasked(NOTHING_ASKED)
        try:
            with self._places:
                answer = self._investigator.ask(question)
        except QuestionError as error:
            return _unasked(f"I cannot answer this: {error.message}. {error.hint}")
        citations = [quote.model_dump(mode="json") for quote in answer.citations]
        return {"text": answer.text, "status": str(answer.status), "citations": citations}


def _unasked(text: str) -> Mapping[str, object]:
    return {"text": text, "status": NOT_ASKED, "citations": []}
