"""What BatchWorld, DynamicBatchWorld and HogwildWorld have in common: copies of one world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.worlds.base import World
from investigator.dialogue.worlds.copying import told
from investigator.errors import DialogueValueError


class WorldOfCopies(World):
    """A world, the root, and copies of it made by `share`. The copies take the turns; the root measures for all.

    `worlds` are the copies, each of which is told its place. Raises DialogueValueError unless either the root is given
    or what another world of this class shares, and where there would be no copies.
    """

    count_option: ClassVar[str] = "batchsize"
    """The option that says how many copies there are; 1 without it."""
    place_option: ClassVar[str] = "batchindex"
    """The option by which a copy and its agents are told their place, from 0."""

    def __init__(
        self, opt: Mapping[str, object] | None, world: World | None = None, shared: Shared | None = None
    ) -> None:
        super().__init__(opt, None if world is None else (), None if shared is None else {"agents": ()})
        inner = (shared or {}).get("world")
        self.world = world or World.of_share(inner if isinstance(inner, Mapping) else {})
        self.id = self.world.id
        count = self.number_of_copies()
        if count < 1:
            hint = f"Set {self.count_option} to 1 or more."
            raise DialogueValueError(f"there is no {type(self).__name__} of {count} copies", hint=hint)
        shares = self.world.share()
        self.worlds = [World.of_share(told(shares, {self.place_option: place})) for place in range(count)]

    def number_of_copies(self) -> int:
        """How many copies the options ask for."""
        return self.opt.number(self.count_option, 1)

    def get_agents(self) -> list[Agent]:
        """The agents of the root."""
        return self.world.get_agents()

    def get_acts(self) -> list[Message | None]:
        """The acts of the root, which takes no turns: those of the copies are theirs."""
        return self.world.get_acts()

    def num_examples(self) -> int | None:
        """How many examples the root has; None where it does not know."""
        return self.world.num_examples()

    def num_episodes(self) -> int | None:
        """How many episodes the root has; None where it does not know."""
        return self.world.num_episodes()

    def report(self) -> Report:
        """The metrics of the root, whose copies measure along with it."""
        return self.world.report()

    def reset(self) -> None:
        """Let the root and all copies begin anew."""
        super().reset()
        for world in (self.world, *self.worlds):
            world.reset()

    def reset_metrics(self) -> None:
        """Measure anew."""
        for world in (self.world, *self.worlds):
            world.reset_metrics()

    def share(self) -> dict[str, object]:
        """What a copy needs, which has copies of its own."""
        return {"world_class": type(self), "opt": self.opt, "world": self.world.share()}

    def display(self) -> str:
        """The last acts of all copies for reading."""
        return "\n\n".join(filter(None, (world.display() for world in self.worlds)))

    def shutdown(self) -> None:
        """Give back what the agents of the copies and of the root hold."""
        for world in (*self.worlds, self.world):
            world.shutdown()
