"""Defines History, the turns of an episode, as one text or as tokens for a model; and TurnAgent, which replies to
messages and keeps the history of the episode. It must be called in the same order as ParlAI's TorchAgent: observe, act
(or `batch_act`, then `self_observe`), observe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum, auto

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import Opt, Options
from investigator.errors import DialogueError

FULL_TEXT = "full_text"
"""The field of an observation that contains the history, including this observation."""

HEARD, SAID = "__p1__", "__p2__"
"""The tokens of the speakers of turns."""

Encode = Callable[[str], Sequence[int]]
"""Returns the tokens in text."""


class History:
    """The messages heard and said in an episode, oldest first. Options: `delimiter` (between turns; a line feed
    by default), `history_size` (number of turns kept; all if not positive; `size` overrides it), `split_lines` (makes
    each heard line a turn), `person_tokens` (heard turns begin with `__p1__`, said ones with `__p2__`),
    `add_p1_after_newln` (the token precedes the last line of a heard turn) and `history_reversed` (reverses the tokens,
    but not the text). `encode` is needed only for tokens.
    """

    def __init__(self, opt: Options = None, *, size: int | None = None, encode: Encode | None = None) -> None:
        self.opt = Opt.of(opt)
        self.delimiter = self.opt.text("delimiter", "\n")
        self.size = self.opt.number("history_size", -1) if size is None else size
        self._encode = encode
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.history_strings: list[str] = []
        self.history_raw_strings: list[str] = []
        self.temp_history: str | None = None

    def update_history(self, observation: Mapping[str, object], temp_history: str | None = None) -> None:
        """Add a message that the agent heard. Until the next one, `temp_history` ends the history's text."""
        heard = observation.get("text")
        if heard is not None:
            for text in str(heard).split("\n") if self.opt.switch("split_lines") else [str(heard)]:
                place = text.rfind("\n") + 1 if self.opt.switch("add_p1_after_newln") else 0
                self._add(text, f"{text[:place]}{HEARD} {text[place:]}")
        self.temp_history = temp_history

    def add_reply(self, text: str) -> None:
        """Add a message that the agent said."""
        self._add(text, f"{SAID} {text}")

    def get_history_str(self) -> str | None:
        """Return the turns as one text; None if the history is empty."""
        return self.delimiter.join(self.history_strings) + (self.temp_history or "") if self.history_strings else None

    def get_history_vec(self) -> list[int] | None:
        """Return the tokens of the turns and delimiters; None if there are no turns. Needs `encode`."""
        if self._encode is None:
            raise DialogueError("the history cannot return tokens", hint="Make it with: History(opt, encode=...)")
        if not self.history_strings:
            return None
        pieces = [piece for text in self.history_strings for piece in (self.delimiter, text)][1:]
        pieces += [self.temp_history] if self.temp_history else []
        tokens = [token for piece in pieces for token in self._encode(piece)]
        return tokens[::-1] if self.opt.switch("history_reversed") else tokens

    def _add(self, text: str, marked: str) -> None:
        self.history_raw_strings.append(text)
        self.history_strings.append(marked if self.opt.switch("person_tokens") else text)
        if self.size > 0:
            del self.history_raw_strings[: -self.size]
            del self.history_strings[: -self.size]


class UseReply(StrEnum):
    """The turn that is added to the history: the label (the reply if there is none), the reply, or nothing."""

    LABEL = auto()
    MODEL = auto()
    NONE = auto()


class TurnAgent(Agent):
    """Replies to each message, given the episode so far. A subclass defines `reply_to`, or `batch_act`, which must use
    only the observation, whose `full_text` is the history, because in batches other copies hold the histories. Options:
    `use_reply` (default `label`), and those of History.
    """

    def __init__(self, opt: Options = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.use_reply = UseReply(self.opt.choice("use_reply", list(UseReply), UseReply.LABEL))
        self.history = self.build_history()
        self._must_act = ""  # why the agent may not observe before it has acted

    def build_history(self) -> History:
        """Return an empty history, configured by the options."""
        return History(self.opt)

    def reply_to(self, observation: Message) -> Message:
        """Return the reply to one observation."""
        hint = "Define reply_to or batch_act in the class."
        raise DialogueError(f"{type(self).__name__} does not define how to reply", hint=hint)

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
        """Return the replies, in order; the reply to padding has no text. Raises DialogueError for None."""
        replies = []
        for observation in observations:
            heard = self._observed(observation)
            reply = Message() if heard.is_padding() else self.reply_to(heard).copy()
            reply.setdefault("id", self.id)
            reply.setdefault(EPISODE_DONE, False)
            replies.append(reply)
        return replies

    def self_observe(self, self_message: Message) -> None:
        """Add the reply or the label to the history, which ends with the episode. Raises DialogueError."""
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
