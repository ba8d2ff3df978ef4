"""Takes the right document out of the first plan, and counts how often the second plan finds it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from models_rows import Row, Side, Task, blank_row, drawn, keep_row, near_miss_pairs
from models_sides import Setup, investigated
from models_tables import markdown, share, spread

from investigator.asking.replies import read_reply
from investigator.engines.base import Engine, Traits, traits_of
from investigator.engines.roles import Role
from investigator.errors import InvestigatorError, ReplyError
from investigator.records import Answered, PlanReply, PlanVariables, Prompt, ProposedStep, Record, Reply, Scope
from investigator.research.concurrency import in_order
from investigator.services.run_records import RunOptions


class SecondPlan(Record):
    """The outcome of a question whose document was left out of the first plan.

    `planned` is True if a later plan chose the document.
    """

    row: Row
    planned: bool = False

    @property
    def is_closed(self) -> bool:
        """Return True if a later plan chose the document, and the question is called answered."""
        return self.planned and self.row.is_answered


class FirstPlanWithout:
    """An engine that plans as another does, but leaves a question's document out of the first plan.

    `withheld` maps questions to the document that is left out. If nothing else was planned, the best other document
    is.
    """

    def __init__(self, engine: Engine, withheld: Mapping[str, str]) -> None:
        self._engine = engine
        self._withheld = withheld
        self.name = engine.name

    @property
    def traits(self) -> Traits:
        """Return the traits of the other engine."""
        return traits_of(self._engine)

    def reply(self, prompt: Prompt) -> Reply:
        """Return the other engine's reply, without the document if it is a first plan. Raises EngineError."""
        reply, variables = self._engine.reply(prompt), prompt.variables
        if not isinstance(variables, PlanVariables) or variables.open_parts:
            return reply
        withheld = self._withheld[variables.question]
        try:
            plan = read_reply(reply.text, PlanReply)
        except ReplyError:
            return reply
        steps = [step for step in plan.steps if step.document_id != withheld]
        others = [document.document_id for document in variables.documents if document.document_id != withheld]
        if not steps and others:
            steps = [ProposedStep(document_id=others[0], purpose=variables.question)]
        return reply.changed(text=plan.changed(steps=steps, scope=Scope.SOME).model_dump_json())


def second_plans(setup: Setup, arguments: argparse.Namespace) -> list[SecondPlan]:
    """Ask questions that one document answers, and store the outcomes with the rows."""
    pairs = [first for first, _ in near_miss_pairs(arguments.sets, arguments.split) if len(first.documents) == 1]
    chosen = drawn(pairs, arguments.second_plan, arguments.seed)
    outcomes: list[SecondPlan] = []
    for name in dict.fromkeys(question.set for question in chosen):
        folder = arguments.sets / name / f"docs_{arguments.split}"
        tasks = [
            Task(group="second plan", folder=folder, side=Side.SEARCHED, question=question)
            for question in chosen
            if question.set == name
        ]
        for outcome in _in_folder(setup, tasks):
            keep_row(arguments.rows.with_suffix(".second-plan.jsonl"), outcome)
            outcomes.append(outcome)
    return outcomes


def _in_folder(setup: Setup, tasks: Sequence[Task]) -> list[SecondPlan]:
    folder, overrides = tasks[0].folder, tasks[0].side.overrides
    plain = setup.investigator(folder, overrides).engines
    withheld = {task.question.wording: min(task.question.documents) for task in tasks}
    engines = {**plain, Role.PLAN: FirstPlanWithout(plain[Role.PLAN], withheld)}
    investigator = setup.investigator(folder, overrides, engines)
    for _ in investigator.index(vectors=True):
        pass
    with investigator.opened() as ask:

        def outcome(task: Task) -> SecondPlan:
            blank = blank_row(task, investigator.engine_name)
            try:
                events = list(ask(task.question.wording, RunOptions(fresh=True)))
            except InvestigatorError as error:
                return SecondPlan(row=blank.changed(failure=f"{type(error).__name__}: {error.message}"))
            (run,) = [event.investigation for event in events if isinstance(event, Answered)]
            later = [step.document_id for step in run.plan.steps if step.round > 1]
            row = investigated(blank, task, investigator, events)
            return SecondPlan(row=row, planned=withheld[task.question.wording] in later)

        return list(in_order(outcome, tasks, setup.jobs))


def second_plans_table(outcomes: Sequence[SecondPlan]) -> str:
    """Return how many questions went on to a second plan, and how many it closed."""
    done = [outcome for outcome in outcomes if not outcome.row.failure]
    total = len(done)
    lines = [
        ["the right document left out of the first plan", ""],
        ["questions; failed", f"{len(outcomes)}; {len(outcomes) - total}"],
        ["a second plan was made", share(sum(outcome.row.rounds > 1 for outcome in done), total)],
        ["- and chose the document", share(sum(outcome.planned for outcome in done), total)],
        ["- and the question is called answered", share(sum(outcome.is_closed for outcome in done), total)],
        ["called answered without the document", share(_answered_without(done), total)],
        ["calls, mean (90 %)", spread([outcome.row.calls for outcome in done])],
        ["tokens, mean (90 %)", spread([outcome.row.tokens for outcome in done])],
    ]
    return markdown(lines)


def _answered_without(outcomes: Sequence[SecondPlan]) -> int:
    return sum(outcome.row.is_answered and not outcome.planned for outcome in outcomes)
