"""Defines Teacher: an agent that knows the right answers and grades replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

from investigator.dialogue.agents import Agent, Shared
from investigator.dialogue.datatypes import Datatype
from investigator.dialogue.messages import Message
from investigator.dialogue.metrics.teacher_metrics import TeacherMetrics
from investigator.dialogue.metrics.values import Report
from investigator.dialogue.options import Opt

PROGRESS = frozenset({"order", "stream", "chunks", "metrics"})
"""The keys of a teacher's shared state that hold its progress, not its data."""


class Teacher(Agent):
    """Asks with `act`, grades with `observe`, and reports with `report`.

    Derive from it directly if the questions depend on the dialogue; for fixed data use one of its subclasses. Options:
    `task` (its id), `datatype` (default `train`), `metrics` (a list for TeacherMetrics). Iterating over a teacher
    yields the examples of one pass over the data, without advancing the teacher; the pass never ends if the datatype
    repeats the data.
    """

    def __init__(self, opt: Mapping[str, object] | None = None, shared: Shared | None = None) -> None:
        super().__init__(opt, shared)
        self.id = self.opt.text("task", "teacher")
        self.datatype = Datatype(self.opt.text("datatype", "train"))
        common = (shared or {}).get("metrics")
        self.metrics = TeacherMetrics(
            self.opt.text("metrics", "default"), common if isinstance(common, Mapping) else None
        )
        self._asked: Message | None = None
        self._epoch_done = False

    def __iter__(self) -> Iterator[Message]:
        alone = self.alone()
        try:
            while not (act := Message.of(alone.act())).is_padding():
                yield act
                if alone.epoch_done():
                    return
        finally:
            alone.shutdown()

    def alone(self) -> Self:
        """Return a copy with the same data and independent progress."""
        return type(self)(Opt(self.opt, batchsize=1), self.share_data())

    def share_data(self) -> dict[str, object]:
        """Return the state for an independent copy: the result of `share` without the progress."""
        return {key: value for key, value in self.share().items() if key not in PROGRESS}

    def expect(self, question: Message) -> None:
        """Remember the question, because its labels are needed to grade the next reply."""
        self._asked = question

    def observe(self, observation: Mapping[str, object]) -> Message:
        """Grade a reply against the labels of the last question; only the first reply to a question is graded. The
        grades are stored in the reply's `metrics`.
        """
        reply = Message.of(observation)
        asked, self._asked = self._asked, None
        labels = asked.known_labels() if asked else []
        if asked and labels:
            self.metrics.evaluate_response(reply, labels)
            self.custom_evaluation(asked, labels, reply)
            if recent := self.metrics.report_recent():
                reply.force_set("metrics", recent)
                self.metrics.clear_recent()
        self.observation = reply
        return reply

    def custom_evaluation(self, teacher_action: Message, labels: list[str], model_response: Message) -> None:
        """Override this to grade replies in other ways, with `self.metrics.add(name, metric)`; called once for each
        graded reply.
        """

    def report(self) -> Report:
        """Return the metrics of all replies since the last reset, including those of copies, keyed by name."""
        return self.metrics.report()

    def reset_metrics(self) -> None:
        self.metrics.clear()

    def reset(self) -> None:
        """Start over with the first example, and forget all grades."""
        super().reset()
        self.reset_metrics()
        self._asked = None
        self._epoch_done = False

    def num_examples(self) -> int | None:
        """Return the number of examples; None if that is unknown."""
        return None

    def num_episodes(self) -> int | None:
        """Return the number of episodes; None if that is unknown."""
        return None

    def epoch_done(self) -> bool:
        return self._epoch_done

    def share(self) -> dict[str, object]:
        return {**super().share(), "metrics": self.metrics.share()}
