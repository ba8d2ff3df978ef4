"""Defines TurnAgent, which replies to messages and keeps the history of the episode. It must be called in the same
order as ParlAI's TorchAgent: observe, act (or `batch_act`, then `self_observe`), observe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum, auto

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.history import History
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.errors import DialogueError

FULL_TEXT = "full_text"
"""The field of an observation that contains the history, including this observation."""


class UseReply(StrEnum):
    """The text that is added to the history as the agent's turn: the label (or its reply if there is no label), its
    reply, or nothing.
    """

    LABEL = auto()
    MODEL = auto()
    NONE = auto()


class TurnAgent(Agent):
    """Replies to each message, given the episode so far. A subclass defines `reply_to`, or `batch_act` if it can reply
    to several messages at once. Both methods must use only the observation, whose `full_text` is the history, because
    in batches other copies of the agent hold the histories. Options: `use_reply` (see UseReply; default `label`), and
    those of History.
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.use_reply = UseReply(self.opt.choice("use_reply", list(UseReply), UseReply.LABEL))
        self.history = self.build_history()
        self._must_act = ""  # why the agent may not observe before it has acted

    def build_history(self) -> History:
        """Return an empty history, configured by the options."""
        return History(self.opt)

    def reply_to(self, observation: Message) -> Message:
        """Return the reply to one observation."""
        problem = f"{type(self).__name__} does not define how to reply"
        raise DialogueError(problem, hint="Define reply_to or batch_act in the class.")

    def temp_history(self, observation: Message) -> str | None:
        """Return text that is appended to the history for this observation only."""
        return None

    def observe(self, observation: Mapping[str, object]) -> Message:
        """Add a message to the history, and return a copy of it with a `full_text` field. Raises DialogueError if the
        last message had labels or ended the episode and the agent has not acted since.
        """
        if self._must_act:
            hint = "Call act() between the two observations, or call reset()."
            raise DialogueError(f"{self.id} observes {self._must_act} without having acted", hint=hint)
        heard = Message(observation)
        if heard.get(EPISODE_DONE):
            self._must_act = "after the end of an episode"
        elif "labels" in heard or "eval_labels" in heard:
            self._must_act = "again after labels"
        self.observation = heard
        self.history.update_history(heard, self.temp_history(heard))
        text = self.history.get_history_str()
        if text is not None:
            heard.force_set(FULL_TEXT, text)
        return heard

    def act(self) -> Message:
        """Reply to the last observation. Raises DialogueError if there was none."""
        (reply,) = self.batch_act([self.observation])
        self.self_observe(reply)
        return reply

    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        """Return the replies to several observations, in order; the reply to padding has no text. Raises DialogueError
        if an observation is None.
        """
        replies = []
        for observation in observations:
            heard = self._observed(observation)
            reply = Message() if heard.is_padding() else self.reply_to(heard).copy()
            reply.setdefault("id", self.id)
            reply.setdefault(EPISODE_DONE, False)
            replies.append(reply)
        return replies

    def self_observe(self, self_message: Message) -> None:
        """Add the reply or the label to the history, or clear the history at the end of an episode. Raises
        DialogueError if nothing was observed before.
        """
        heard = self._observed(self.observation)
        self._must_act = ""
        if heard.get(EPISODE_DONE):
            self.history.reset()
            self.observation = None
        elif self.use_reply is not UseReply.NONE:
            labels = heard.known_labels() if self.use_reply is UseReply.LABEL else []
            reply = labels[0] if labels else self_message.get("text")
            if reply is not None:
                self.history.add_reply(str(reply))

    def reset(self) -> None:
        super().reset()
        self.history.reset()
        self._must_act = ""

    def _observed(self, observation: Message | None) -> Message:
        if observation is None:
            hint = "Call observe(message) first."
            raise DialogueError(f"{self.id} has observed nothing to reply to", hint=hint)
        return observation
