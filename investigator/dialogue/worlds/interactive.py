"""Worlds without a teacher: a human talks with a model, or a model with itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.worlds.base import ends_episode
from investigator.dialogue.worlds.dialog import DialogPartnerWorld
from investigator.errors import DialogueError


class InteractiveWorld(DialogPartnerWorld):
    """The first agent, a human, talks with the second, a model, which is not called once the human has left. If the
    human ends the episode without a message, the model forgets it.
    """

    watches_loops = False

    def parley(self) -> None:
        self.begin_turn()
        human, model = self.agents
        said = self.take_act(0, human.act())
        if said.is_padding() or (ends_episode(said) and not said.text):
            model.reset()
        else:
            model.observe(said)
            human.observe(self.take_act(1, model.act()))
        self.update_counters()


class SelfChatWorld(DialogPartnerWorld):
    """An agent talks with a copy of itself, or with another agent.

    Options: `opener` ("Hi!"), the first message of the first agent; `selfchat_max_turns` (6): turns of both in an
    episode; `num_self_chats` (1): episodes; `loop_repeats` (3): an episode also ends after that many repetitions (0: no
    limit). Raises DialogueError unless there are one or two agents, and at least one turn and episode.
    """

    def __init__(
        self, opt: Mapping[str, object] | None, agents: Sequence[Agent] | None = None, shared: Shared | None = None
    ) -> None:
        both = [agents[0], agents[0].clone()] if agents is not None and len(agents) == 1 else agents
        super().__init__(opt, both, shared)
        self._opener = self.opt.text("opener", "Hi!")
        self._most = self.opt.number("selfchat_max_turns", 6)
        self._chats = self.opt.number("num_self_chats", 1)
        if self._most < 1 or self._chats < 1:
            raise DialogueError("a self-chat needs at least one turn and one episode", hint="Leave the options out.")
        self._turns = self._ended = 0

    def parley(self) -> None:
        self.begin_turn()
        if self.episode_done():
            self._turns = 0
            self._loops.begin()
        for index, (agent, other) in enumerate((self.agents, self.agents[::-1])):
            opens = self._turns == 0 and index == 0
            act = Message(id=agent.id, text=self._opener, episode_done=False) if opens else agent.act()
            other.observe(self.take_act(index, act))
        self._turns += 1
        if self.episode_done():
            self._ended += 1
            for agent in self.agents:
                agent.reset()
        self.update_counters()

    def episode_done(self) -> bool:
        ended = bool(self.end_reason) or any(map(ends_episode, self.acts))
        return self._turns >= self._most or (self._turns > 0 and ended)

    def epoch_done(self) -> bool:
        return self._ended >= self._chats

    def reset(self) -> None:
        super().reset()
        self._turns = self._ended = 0
