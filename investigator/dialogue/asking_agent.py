"""Defines InvestigatorAgent, an agent that answers questions about documents in a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from investigator.dialogue.agents import Agent, Shared, shared_part
from investigator.dialogue.messages import Message
from investigator.dialogue.options import Opt, Options
from investigator.errors import DialogueError, QuestionError
from investigator.investigator import Investigator
from investigator.settings import load_settings

NOTHING_ASKED = "Please ask me a question about the documents."
NOT_ASKED = "not_asked"
"""The status of a reply to a message that is not a question."""


class _Client(NamedTuple):
    """An investigator that copies share. It is asked one question at a time, because a workspace has one writer."""

    investigator: Investigator
    turn: Lock


class InvestigatorAgent(Agent):
    """Answers each question from the documents, independently of earlier ones, with `text`, `status` and `citations`
    (quotes in their wire format). A message that is not a question gets a polite reply. Without `investigator`, the
    agent opens the folder that its options name (see `investigator_of`). Copies share the investigator, which is asked
    one question at a time.
    """

    def __init__(
        self, opt: Options = None, shared: Shared | None = None, *, investigator: Investigator | None = None
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "investigator")
        client = shared_part(shared, "client", _Client)
        self._client = client or _Client(investigator or investigator_of(self.opt), Lock())

    def act(self) -> Message:
        (act,) = self.batch_act([self.observation])
        return act

    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        """Return the answers, in order. Identical questions are asked once, and padding is not answered."""
        heard = [observation or Message() for observation in observations]
        questions = dict.fromkeys(message.text.strip() for message in heard if not message.is_padding())
        replies = {question: self._reply(question) for question in questions}
        answers = [{} if message.is_padding() else replies[message.text.strip()] for message in heard]
        return [Message(id=self.id, episode_done=False, **answer) for answer in answers]

    def share(self) -> dict[str, object]:
        return {**super().share(), "client": self._client}

    def _reply(self, question: str) -> Mapping[str, object]:
        unasked = {"text": NOTHING_ASKED, "status": NOT_ASKED, "citations": []}
        if not question:
            return unasked
        try:
            with self._client.turn:
                answer = self._client.investigator.ask(question)
        except QuestionError as error:
            return {**unasked, "text": f"I cannot answer this: {error.message}. {error.hint}"}
        citations = [quote.model_dump(mode="json") for quote in answer.citations]
        return {"text": answer.text, "status": str(answer.status), "citations": citations}


def investigator_of(opt: Opt) -> Investigator:
    """Return an Investigator for options: `folder`; `engine`, a name or a list of `role=name`, as for `--model`;
    `workspace`; `prompts`; `settings`, a file; `set`, a list of `part.field=value`. Raises DialogueError if no folder
    is given, and the errors of Investigator.
    """
    folder, file = opt.text("folder"), opt.text("settings")
    if not folder:
        name = opt.text("model", "investigator")
        hint = f'Set it: {{"model": "{name}", "folder": "FOLDER"}}, --folder FOLDER or investigator=Investigator(...)'
        raise DialogueError(f"the agent {name} needs a folder of documents", hint=hint)
    return Investigator(
        folder,
        model=_texts(opt, "engine") or None,
        settings=load_settings(Path(file).expanduser() if file else None, _texts(opt, "set")),
        workspace=opt.text("workspace") or None,
        prompts=opt.text("prompts") or None,
    )


def _texts(opt: Opt, name: str) -> list[str]:
    value = opt.get(name) or ()
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list | tuple) or not all(isinstance(text, str) for text in values):
        raise DialogueError(f"the option {name} must be a string or a list of strings, not {value!r}")
    return list(values)
