"""Defines FolderChatAgent, a chat about a folder of documents that options alone can create."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from investigator.bb3.chat_options import ChatOptions
from investigator.bb3.chats import open_chat
from investigator.bb3.decoding.applied import changed
from investigator.bb3.decoding.options import is_module_option, module_decodings
from investigator.bb3.folder_chat import ChatSession, FolderChat
from investigator.bb3.records import Module
from investigator.dialogue.agents import Agent, Shared, shared_part
from investigator.dialogue.asking_agent import investigator_of
from investigator.dialogue.messages import EPISODE_DONE, Message
from investigator.dialogue.options import Opt, Options
from investigator.errors import DialogueError
from investigator.investigator import Investigator

MOST_TURNS = 1000
"""Maximum number of replies in one conversation, unless the `max_turns` option sets another one."""


class FolderChatAgent(Agent):
    """A chat about a folder, with memory. Each copy has its own conversation; the replies of a batch are generated
    together. The `memories` of a message are remembered; with the text "Opening" they start the conversation. A reply
    to `episode_done` ends it. Several messages before an act form one turn. Options: those of `investigator_of`,
    ChatOptions and, under BB3's names, individual modules (`search_decision`, `srm_inference`, `sdm_model`); `user`,
    whose memories are used and kept (nothing is kept of a guest); `max_turns` (1000), after which `epoch_done` is true,
    so that two agents do not talk forever. `notices` lists options that an engine does not support. Shutting down the
    original also shuts down its copies. Raises DialogueError for invalid options, and the errors of `open_chat`.
    """

    def __init__(
        self, opt: Options = None, shared: Shared | None = None, *, investigator: Investigator | None = None
    ) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("id", "bb3_chat")
        self._most = self.opt.number("max_turns", MOST_TURNS)
        if self._most < 1:
            raise DialogueError("max_turns must be 1 or more", hint=f"Omit the option for the default of {MOST_TURNS}.")
        room = shared_part(shared, "room", _Room)
        self._is_copy = room is not None
        self._room = room or _Room(self.opt, investigator)
        self._talk = _Talk(self.opt.text("user"))

    @property
    def notices(self) -> Sequence[str]:
        """Return the notices about options that the modules' engines do not support."""
        return tuple(self._room.notices)

    def observe(self, observation: Mapping[str, object]) -> Message:
        """Observe a message; earlier messages that have no reply yet are prepended to it."""
        heard = _Heard(observation)
        earlier = self.observation
        if earlier is not None and earlier.get(EPISODE_DONE):
            self._start_over()
        elif earlier is not None and not heard.is_padding() and not earlier.is_padding():
            text = "\n".join(filter(None, (earlier.text, heard.text)))
            heard = _Heard({**earlier, **heard, "text": text})
        heard.talk = self._talk
        self.observation = heard
        return heard

    def act(self) -> Message:
        """Return the reply to the observation, or a polite question if nothing was observed."""
        (act,) = self.batch_act([self.observation or self.observe(Message(text=""))])
        self.self_observe(act)
        return act

    def batch_act(self, observations: Sequence[Message | None]) -> list[Message]:
        """Return the replies to the observations of copies, in order. The replies are generated together; padding gets
        no reply. A message that no copy has observed starts a new conversation. Raises DialogueError if `max_turns` is
        exceeded, and the errors of FolderChat.reply.
        """
        acts = [Message(id=self.id, episode_done=False) for _ in observations]
        heard = {place: seen for place, seen in enumerate(observations) if seen is not None and not seen.is_padding()}
        talks = {place: self._talk_of(message) for place, message in heard.items()}
        turns = [(self._room.session(talks[place]), message) for place, message in heard.items()]
        replies = self._room.chat.reply(turns) if turns else []
        for (place, talk), reply in zip(talks.items(), replies, strict=True):
            talk.replies += 1
            talk.is_over = talk.replies >= self._most and not heard[place].get(EPISODE_DONE)
            acts[place] = Message({**reply, "id": self.id, EPISODE_DONE: talk.is_over})
        return acts

    def _talk_of(self, message: Message) -> _Talk:
        talk = message.talk if isinstance(message, _Heard) else None
        if talk is not None and talk.is_over:
            problem = f"{self.id} has reached the limit of {self._most} replies in one conversation"
            hint = "Call reset() to start a new conversation, or raise the option max_turns."
            raise DialogueError(problem, hint=hint)
        return talk or _Talk(self.opt.text("user"))

    def self_observe(self, self_message: Message) -> None:
        heard, self.observation = self.observation, None
        if heard is not None and heard.get(EPISODE_DONE):
            self._start_over()

    def epoch_done(self) -> bool:
        return self._talk.is_over

    def reset(self) -> None:
        super().reset()
        self._start_over()

    def share(self) -> dict[str, object]:
        return {**super().share(), "room": self._room}

    def shutdown(self) -> None:
        """Forget the guest; the original agent also closes the folder, for all copies."""
        self._start_over()
        if not self._is_copy:
            self._room.close()

    def _start_over(self) -> None:
        self._room.leave(self._talk)
        self._talk = _Talk(self.opt.text("user"))


@dataclass(eq=False)
class _Talk:
    """One copy's conversation with a user, or a guest (""); its session starts with the first reply."""

    user: str
    session: ChatSession | None = None
    replies: int = 0
    is_over: bool = False


class _Heard(Message):
    """A message with its conversation, because another copy may reply to it as part of a batch."""

    talk: _Talk | None = None


class _Room:
    """The chat shared by all copies of an agent, and the names of the guests in it."""

    def __init__(self, opt: Opt, investigator: Investigator | None) -> None:
        self.notices: list[str] = []
        self._guests: set[str] = set()
        self._stack = ExitStack()
        of_one_module = {
            name: value
            for name, value in opt.items()
            if name.partition("_")[0] in set(Module) and is_module_option(name) and isinstance(value, str | int | float)
        }
        opening = open_chat(
            investigator or investigator_of(opt),
            changed(ChatOptions(), {name: opt[name] for name in ChatOptions.model_fields if name in opt}),
            models={module: opt.text(f"{module}_model") for module in Module if opt.get(f"{module}_model")},
            decodings=module_decodings(of_one_module),
            on_notice=self.notices.append,
        )
        self._chat: FolderChat | None = self._stack.enter_context(opening)

    @property
    def chat(self) -> FolderChat:
        """Return the chat. Raises DialogueError if the agent was closed."""
        if self._chat is None:
            raise DialogueError("this agent was shut down", hint="Create a new agent.")
        return self._chat

    def session(self, talk: _Talk) -> ChatSession:
        """Return the session for a conversation."""
        if talk.session is None:
            name = talk.user or f"guest {uuid.uuid4()}"
            talk.session = self.chat.start(name)
            self._guests |= set() if talk.user else {name}
        return talk.session

    def leave(self, talk: _Talk) -> None:
        """End a conversation, and forget everything about the user if it is a guest."""
        if talk.session is not None and talk.session.user in self._guests and self._chat is not None:
            self._guests.remove(talk.session.user)
            self._chat.memory.forget(talk.session.user)

    def close(self) -> None:
        """Forget all guests and close the folder; safe to call again."""
        if self._chat is not None:
            for guest in self._guests:
                self._chat.memory.forget(guest)
            self._chat = None
            self._stack.close()
