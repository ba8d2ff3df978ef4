"""What the method makes of a model: the same model, index and search, once with one prompt and once investigating.

    python benchmarks/models.py SET_DIR [SET_DIR ...] --model PROVIDER:NAME [--model ...] [--questions N]
        [--split dev] [--set PART.FIELD=VALUE] [--workspaces DIR] [--json FILE]

Each SET_DIR holds the folder `docs_SPLIT` and `questions.SPLIT.jsonl`; N questions are taken at equal distances.
`one prompt` is plain retrieval-augmented generation (plain_rag.j2): the five best passages of the folder in one call.
`method` is `investigator ask --model`. `no model` is the embedded default, for what the search gives by itself. Each
question is put to one after the other, so that all meet the same load of the machine. `answer_f1` is over the questions
that have an answer, `f1_all` over all of them.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment

from investigator.asking.replies import read_reply
from investigator.engines.base import Engine, tokens_of, traits_of
from investigator.engines.catalogue import open_engine
from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.extractive import ExtractiveEngine
from investigator.errors import InvestigatorError
from investigator.evaluation.abstention import confusion
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome, Ranking
from investigator.evaluation.questions import Question, read_questions
from investigator.evaluation.scoring import scores
from investigator.investigator import Investigator
from investigator.records import Answered, AnswerStatus, Passage, Prompt, QuestionVariables, Record, Usage
from investigator.services.run_records import RunOptions
from investigator.settings import load_settings

_PASSAGES = 5
_TEMPLATE = Environment(autoescape=False).from_string(Path(__file__).with_name("plain_rag.j2").read_text("utf-8"))
_NOT_THERE = re.compile(r"not in the documents|not (?:mentioned|stated|provided|specified)|cannot (?:be )?answer", re.I)
_MEASURES = (Measure.ANSWER_F1, Measure.ANSWER_CONTAINS, Measure.NUMBER_RECALL)


class PlainReply(Record):
    """What the one prompt asks for."""

    answer: str


@dataclass(frozen=True)
class Result:
    """What one side said to one question."""

    side: str
    question: Question
    outcome: Outcome


def one_prompt(engine: Engine, question: str, passages: Sequence[Passage]) -> tuple[str, Usage]:
    """The answer from one prompt with as many of the passages as fit, and what it cost."""
    room = traits_of(engine).context_tokens
    for count in range(len(passages), 0, -1):
        text = _TEMPLATE.render(question=question, passages=passages[:count])
        if room is None or tokens_of(engine, text) <= room:
            break
    variables = QuestionVariables(document_id="", purpose=question, perspectives="")
    reply = engine.reply(Prompt("query/ask", variables, text, PlainReply))
    usage = Usage(calls=1, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens)
    try:
        return read_reply(reply.text, PlainReply).answer, usage
    except InvestigatorError:
        return reply.text, usage


def investigated(investigator: Investigator, question: str) -> tuple[str, Usage]:
    """The answer of the method, "" where there is none, and what it cost."""
    for event in investigator.investigate(question, RunOptions(fresh=True)):
        if isinstance(event, Answered) and event.investigation.answer is not None:
            claims = event.investigation.answer.claims
            return " ".join(claim.text for claim in claims), event.investigation.usage
    return "", Usage()


def results(folder: Path, model: str, arguments: argparse.Namespace) -> Iterator[Result]:
    """All sides over the questions of one set."""
    every = read_questions(folder / f"questions.{arguments.split}.jsonl")
    questions = every[:: max(1, len(every) // arguments.questions)][: arguments.questions]
    settings = load_settings(None, arguments.overrides)
    embedder = SentenceTransformerEmbedder()
    engine = open_engine(model, lambda: ExtractiveEngine(embedder), chat=settings.chat, gguf=settings.gguf)
    documents, workspace = folder / f"docs_{arguments.split}", arguments.workspaces / f"models-{folder.name}"
    ours = Investigator(documents, model=engine, settings=settings, workspace=workspace, embedder=embedder)
    without = Investigator(documents, settings=settings, workspace=workspace, embedder=embedder)
    for _ in ours.index(vectors=True):
        pass
    with ours.library() as library:
        passages = {q.id: library.passages((q.asked,))[:_PASSAGES] for q in questions}
    for question in questions:
        asked, found = question.asked, passages[question.id]
        sides: dict[str, Callable[[], tuple[str, Usage]]] = {
            "one prompt": lambda asked=asked, found=found: one_prompt(engine, asked, found),  # type: ignore[misc]
            "method": lambda asked=asked: investigated(ours, asked),  # type: ignore[misc]
            "no model": lambda asked=asked: investigated(without, asked),  # type: ignore[misc]
        }
        for side, ask in sides.items():
            yield Result(side, question, _outcome(question, ask))


def _outcome(question: Question, ask: Callable[[], tuple[str, Usage]]) -> Outcome:
    began = time.monotonic()
    blank = Outcome(evaluation="-", id=question.id, ranking=Ranking(documents=(), evidence_found=None))
    try:
        answer, usage = ask()
    except InvestigatorError as error:
        return blank.changed(failure=error.message, status=AnswerStatus.NOT_FOUND_SO_FAR)
    status = AnswerStatus.ANSWERED if answer.strip() and not _NOT_THERE.search(answer) else AnswerStatus.NOT_FOUND
    seconds = time.monotonic() - began
    return blank.changed(answer=answer, status=status, usage=usage, seconds=seconds)


def row(set_name: str, model: str, side: str, found: Sequence[Result]) -> dict[str, object]:
    """The figures of one side over one set."""
    own = [r for r in found if r.side == side]
    scored = [scores(r.question, r.outcome) for r in own]
    judged = [r for r in own if r.question.answerable is not None]
    silence = confusion([bool(r.question.answerable) for r in judged], [r.outcome.answered for r in judged])
    means = {measure.value: _mean([s[measure] for s in scored if measure in s]) for measure in _MEASURES}
    return {
        "set": set_name,
        "model": model,
        "side": side,
        "questions": len(own),
        "failed": sum(bool(r.outcome.failure) for r in own),
        **means,
        "f1_all": _mean([_counting_silence(r, s) for r, s in zip(own, scored, strict=True)])
        if means["answer_f1"]
        else None,
        "no_answer_f1": silence.f1,
        "calls": _mean([r.outcome.usage.calls for r in own]),
        "tokens": _mean([r.outcome.usage.tokens for r in own]),
        "seconds": _mean([r.outcome.seconds or 0.0 for r in own]),
    }


def _counting_silence(result: Result, found: Mapping[Measure, float]) -> float:
    """Token F1 as SQuAD 2.0 has it: a question without an answer gives 1 where nothing was answered, else 0."""
    if result.question.answerable is False:
        return float(not result.outcome.answered)
    return found.get(Measure.ANSWER_F1, 0.0) if result.outcome.answered else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def lines(rows: Sequence[dict[str, object]]) -> str:
    """The table in Markdown."""
    names = list(rows[0])
    cells = [[f"{value:.3g}" if isinstance(value, float) else str(value or "-") for value in r.values()] for r in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in (names, ["---"] * len(names), *cells))


def main() -> None:
    """Read the arguments, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows: list[dict[str, object]] = []
    for folder in (path.resolve() for path in arguments.sets):
        for model in arguments.model:
            found = []
            for result in results(folder, model, arguments):
                found.append(result)
                print(f"{len(found):4} {folder.name} {result.side}: {result.outcome.answer[:100]!r}", flush=True)
            rows += [
                row(folder.name, model.rpartition("/")[2], side, found) for side in dict.fromkeys(r.side for r in found)
            ]
            if arguments.json:
                arguments.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    print(lines(rows))


if __name__ == "__main__":
    main()
