"""Compares the wording of prompts: the same variables, rendered with two folders of templates, are sent to one model.

    python benchmarks/wording.py OLD NEW PAIRS.jsonl --model PROVIDER:NAME [--pairs N] [--template NAME ...]
        [--set PART.FIELD=VALUE] [--workspaces DIR] [--rows FILE.jsonl]

PAIRS.jsonl contains pairs of questions (`twin`) about the folders of adjacent sets (`set`): one that its folder
answers, and one that it nearly answers. The built-in engine, given the limits of a model, investigates each; its first
prompt from each template is kept. The chat templates get the questions as turns; bb3/mdm gets memory_decisions.jsonl.
`readable` is the share of replies that match the schema; `right` is the share of replies that `right` accepts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from models import SetQuestion, investigated
from side_by_side import Asking, Desk

from investigator.asking.prompts import Prompts
from investigator.asking.replies import read_reply
from investigator.bb3.records import (
    CONTRACTS,
    DecisionReply,
    FactsVariables,
    KnowledgeReply,
    PassagesVariables,
    PersonalFact,
    Speaker,
    Turn,
    TurnsVariables,
)
from investigator.engines.base import Engine, Traits
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.errors import ReplyError
from investigator.evaluation.lines import rows_of
from investigator.investigator import Investigator
from investigator.records import (
    AnswerReply,
    AskReply,
    AskVariables,
    PlanReply,
    Prompt,
    Record,
    ReflectReply,
    Reply,
    ThinkReply,
)

_OWN_ROWS = Path(__file__).with_name("memory_decisions.jsonl")
_LIMITS = Traits(is_model=True, is_small=False, context_tokens=1200, concurrency=1)
_LIKELY = 50  # a point from which the model says that the passages contain the answer


@dataclass(frozen=True)
class Case:
    """The variables of a prompt, the question that it is about, and the required decision."""

    template: str
    variables: Record
    question: str
    needed: bool
    documents: tuple[str, ...] = ()


class Recorder(ExtractiveEngine):
    """The built-in engine with the limits of a language model; it keeps the first prompt from each template."""

    kept: dict[str, Prompt]

    @property
    def traits(self) -> Traits:
        """Return the traits of a model with a short context."""
        return _LIMITS

    def reply(self, prompt: Prompt) -> Reply:
        """Keep the prompt, and return the reply of the built-in engine."""
        self.kept.setdefault(prompt.template, prompt)
        return super().reply(prompt)


def cases_of(investigator: Investigator, recorder: Recorder, question: SetQuestion) -> Iterator[Case]:
    """Yield a case for each template that is used in the investigation of a question, and for some chat templates."""
    recorder.kept = {}
    investigated(investigator, question.asked)
    turns = (Turn(speaker=Speaker.PARTNER, text=question.asked),)
    variables: dict[str, Record] = {name: prompt.variables for name, prompt in recorder.kept.items()}
    asked = variables.get("query/ask")
    if isinstance(asked, AskVariables):
        variables["bb3/skm"] = PassagesVariables(turns=turns, passages=asked.passages)
    variables |= {"bb3/sdm": TurnsVariables(turns=turns), "bb3/sgm": TurnsVariables(turns=turns)}
    for name in variables.keys() & CONTRACTS.keys():
        needed = name == "bb3/sdm" or bool(question.answerable)
        yield Case(name, variables[name], question.asked, needed, tuple(question.doc_ids))


def chat_cases(count: int) -> Iterator[Case]:
    """Yield decisions of memory_decisions.jsonl at equal intervals."""
    lines = _OWN_ROWS.read_text("utf-8").splitlines()
    for line in lines[:: max(1, len(lines) // count)][:count]:
        row = json.loads(line)
        turns = (Turn(speaker=Speaker.PARTNER, text=row["text"]),)
        facts = enumerate(row["memories"], 1)
        known = tuple(PersonalFact(id=number, speaker=Speaker.PARTNER, text=text) for number, text in facts)
        yield Case("bb3/mdm", FactsVariables(turns=turns, facts=known), row["text"], row["label"] == "access memory")


def right(case: Case, reply: Record) -> bool | None:
    """Return True if a reply is right, or None if this cannot be judged.

    A decision, a score from 50, and a non-empty answer must agree with the case; a reflection has unknowns exactly if
    there is no answer; the first step of a plan is about a right document; a question is its own only part.
    """
    match reply:
        case ThinkReply():
            return [part.question.strip(" ?") for part in reply.parts] == [case.question.strip(" ?")]
        case PlanReply():
            steps = [step.document_id for step in reply.steps]
            return bool(steps) and steps[0] in case.documents if case.documents else None
        case AskReply() | KnowledgeReply():
            return ((reply.point or 0) >= _LIKELY) is case.needed
        case ReflectReply():
            return any(one.unknown_infos for one in reply.knowledge) is not case.needed
        case AnswerReply():
            return bool(reply.claims) is case.needed
        case DecisionReply():
            return reply.needed is case.needed
    return None


def main() -> None:
    """Parse the arguments, send each prompt in both wordings, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs=2, type=Path, metavar="TEMPLATES")
    parser.add_argument("file", type=Path, metavar="PAIRS")
    parser.add_argument("--model", required=True)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--template", action="append")
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--rows", type=Path)
    arguments = parser.parse_args()
    engine = Desk(Asking(arguments.model, tuple(arguments.overrides), arguments.workspaces), copies=False).engine
    cases = [
        *every_case(arguments.file.resolve(), arguments.pairs, arguments.workspaces.resolve()),
        *chat_cases(2 * arguments.pairs),
    ]
    wanted = arguments.template or sorted({case.template for case in cases})
    wordings = [Prompts(folder.resolve(), CONTRACTS) for folder in arguments.folders]
    for template in wanted:
        chosen = [case for case in cases if case.template == template]
        found = [[judged(engine, side, case, arguments.rows) for case in chosen] for side in wordings]
        print(f"| {template} | {len(chosen)} | {' | '.join(figures(side) for side in found)} |", flush=True)


def judged(engine: Engine, prompts: Prompts, case: Case, rows: Path | None) -> tuple[bool, bool | None]:
    """Return True for a readable reply, and whether it is right; append the reply to a file."""
    prompt = prompts.prompt(case.template, case.variables)
    text = engine.reply(prompt).text
    try:
        found = True, right(case, read_reply(text, prompt.reply_type))
    except ReplyError:
        found = False, False
    if rows is not None:
        with rows.open("a", encoding="utf-8") as stream:
            row = {"template": case.template, "question": case.question, "needed": case.needed, "reply": text}
            stream.write(json.dumps({**row, "readable": found[0], "right": found[1]}) + "\n")
    return found


def every_case(file: Path, pairs: int, workspaces: Path) -> Iterator[Case]:
    """Yield the cases of pairs at equal intervals."""
    questions = {question.id: question for _, question in rows_of(file, SetQuestion)}
    first = [question for question in questions.values() if question.answerable]
    embedder = SentenceTransformerEmbedder()
    recorder = Recorder(embedder)
    for one in first[:: max(1, len(first) // pairs)][:pairs]:
        folder, workspace = file.parent.parent / one.set / "docs_dev", workspaces / f"folder-{one.set}"
        investigator = Investigator(folder, model=recorder, workspace=workspace, embedder=embedder)
        for question in (one, questions[one.twin]):
            yield from cases_of(investigator, recorder, question)


def figures(found: Sequence[tuple[bool, bool | None]]) -> str:
    """Return the share of readable replies, and the share of right ones among those that can be judged."""
    judged = [ok for _, ok in found if ok is not None]
    share = f"{sum(judged) / len(judged):.2f}" if judged else "-"
    return f"{sum(readable for readable, _ in found) / max(1, len(found)):.2f}, {share}"


if __name__ == "__main__":
    main()
