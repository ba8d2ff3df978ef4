"""Compares with PaperQA2 on the same folders, questions, local model and embedder: cost, answers and silence.

    python -m venv paperqa-venv && paperqa-venv/bin/pip install -r benchmarks/peers_requirements.txt
    python benchmarks/peers.py SET_DIR --python paperqa-venv/bin/python --model MODEL.gguf
        [--split dev] [--documents 10] [--questions 10] [--threads 1] [--context 8192] [--max-tokens 512]
        [--set PART.FIELD=VALUE] [--ours openai|gguf] [--answer-length TEXT] [--summaries schema|words]
        [--calls FILE.jsonl] [--json FILE]

SET_DIR contains the folder `docs_SPLIT` and `questions.SPLIT.jsonl`. A fixed rule (peers_cases.py) forms folders of
--documents text files from it. Each question is asked of both systems in immediate succession, with alternating order,
so that both are affected equally by other load on the machine. Both call the same server on loopback (peers_server.py).
It runs the model, one call at a time, counts calls and tokens in the same way for both, and also serves the vectors of
our embedder to PaperQA2. Indexing is measured separately: when the questions are asked, the index is complete on both
sides. With `--ours gguf`, our side loads the same file itself, as `--model gguf:PATH` does, and its calls are counted
where they reach the model.

PaperQA2 runs its fixed path with its default settings, except those that peers_paperqa.py names. It is helped in two
ways: a manifest provides the citations of documents (otherwise indexing would need a call for each), and with
`--summaries schema` the server's grammar enforces the requested form of its summaries; with `words`, its default, each
summary that is not JSON costs a second call.
A question counts as answered by PaperQA2 unless it says "I cannot answer", as its prompt demands, or has no evidence.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from peers_cases import Case, SetQuestion, copied, dealt
from peers_server import CountingServer
from peers_sides import CountedModel, Ours, PaperQA, Said, Side
from peers_tables import Asked, lines_of, numbers_of

from investigator.engines.embedding.embedders import SentenceTransformerEmbedder
from investigator.engines.gguf.engine import GgufEngine

_LONGEST_SUMMARY = 1000  # characters; PaperQA2 asks for about 100 words
_AROUND_SUMMARY = 32  # tokens of the other field and the names of both
_SIDES = (Ours.name, PaperQA.name)


def main() -> None:
    """Parse the arguments, ask the questions and print the results."""
    arguments = _arguments()
    cases = dealt(arguments.set, arguments.split, arguments.documents, arguments.questions)
    if not cases:
        raise SystemExit(f"{arguments.set} has no questions about text files")
    asked: list[Asked] = []
    for one in answered(cases, arguments):
        asked.append(one)
        if arguments.json:  # written after each question, because a run takes long
            numbers = {"model": arguments.model.name, "documents": arguments.documents, **numbers_of(asked, _SIDES)}
            arguments.json.write_text(json.dumps(numbers, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print("\n".join(lines_of(asked, _SIDES)))


def answered(cases: Sequence[Case], arguments: argparse.Namespace) -> Iterator[Asked]:
    """Yield each question with both replies. Raises RuntimeError if PaperQA2 ends or calls another server."""
    embedder, own_model = SentenceTransformerEmbedder(), _own_model(arguments)
    with (
        tempfile.TemporaryDirectory(prefix="peers-") as work,
        CountingServer(
            arguments.model,
            embedder,
            context=arguments.context,
            max_tokens=arguments.max_tokens,
            threads=arguments.threads,
            log=arguments.calls,
        ) as server,
    ):
        for number, case in enumerate(cases, start=1):
            room = Path(work) / str(number)
            copied(case, arguments.set / f"docs_{arguments.split}", room / "docs")
            ours = Ours(room / "docs", room, server, embedder, _overrides(arguments), own_model)
            with PaperQA(arguments.python, room / "docs", room, server, _options(arguments)) as theirs:
                yield from compared(number, case, (ours, theirs), server)
                if theirs.stray_calls:
                    raise RuntimeError(f"{theirs.stray_calls} calls of PaperQA2 did not go to the configured server")


def compared(folder: int, case: Case, sides: Sequence[Side], server: CountingServer) -> Iterator[Asked]:
    """Index the folder of a case with both sides, then ask both its questions."""
    for side in sides:
        label = f"{folder}-index-{side.name}"
        seconds, calls = side.index(label), server.spent(label).calls
        who = f"{side.name} {side.version}".rstrip()
        _tell(f"folder {folder}: {who} indexed it in {seconds:.1f} s with {calls} calls")
    for number, question in enumerate(case.questions):
        order = sides if number % 2 == 0 else tuple(reversed(sides))
        yield Asked(
            folder, question, {side.name: _said(side, question, f"{folder}-{number}-{side.name}") for side in order}
        )


def _said(side: Side, question: SetQuestion, label: str) -> Said:
    said = side.ask(question.wording, label)
    _tell(
        f"{side.name}: {said.status}, {said.spent.calls} calls, {said.seconds:.1f} s, {said.about}: {question.wording}"
    )
    return said


def _own_model(arguments: argparse.Namespace) -> CountedModel | None:
    """Return the model in this process, loaded as by `gguf:PATH`, if requested."""
    if arguments.ours == "openai":
        return None
    limits = {"context_tokens": arguments.context, "max_tokens": arguments.max_tokens}
    return CountedModel(GgufEngine(arguments.model, **limits))


def _overrides(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the settings of our side: the same server settings as for PaperQA2, then the user's own settings."""
    room = arguments.context - arguments.max_tokens
    told = ("temperature=0", f"max_tokens={arguments.max_tokens}", f"context_tokens={room}", "timeout=21600")
    return (*(f"chat.{setting}" for setting in told), *arguments.overrides)


def _options(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return PaperQA2's options; summaries are short enough that none is cut, which would cost another call."""
    characters = min(_LONGEST_SUMMARY, max(100, arguments.max_tokens - _AROUND_SUMMARY))
    options = {"answer-length": arguments.answer_length, "summaries": arguments.summaries}
    return *(f"--{name}={value}" for name, value in options.items()), f"--summary-characters={characters}"


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("--python", type=Path, required=True, help="interpreter of PaperQA2's environment")
    parser.add_argument("--model", type=Path, required=True, help="a GGUF file")
    parser.add_argument("--split", default="dev")
    parser.add_argument("--documents", type=int, default=10, help="number of documents in each folder")
    parser.add_argument("--questions", type=int, default=10, help="in all")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--context", type=int, default=8192, help="maximum tokens of prompt and reply together")
    parser.add_argument("--max-tokens", type=int, default=512, help="maximum tokens of a reply, for both sides")
    parser.add_argument("--set", action="append", default=[], dest="overrides", metavar="PART.FIELD=VALUE")
    parser.add_argument("--answer-length", default="about 50 words", help="length that PaperQA2 requests")
    parser.add_argument("--summaries", choices=("schema", "words"), default="schema")
    parser.add_argument("--ours", choices=("openai", "gguf"), default="openai", help="how our side calls the model")
    parser.add_argument("--calls", type=Path, metavar="FILE.jsonl", help="also add every call and reply to this file")
    parser.add_argument("--json", type=Path, help="also write all numbers and answers to this file")
    return parser.parse_args()


if __name__ == "__main__":
    main()
