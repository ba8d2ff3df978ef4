from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from investigator.cli.progress import Display, follow
from investigator.cli.streams import STREAMS, StreamOptions
from investigator.errors import RunError
from investigator.records import (
    Answered,
    Checked,
    Embedded,
    Event,
    FileRead,
    FileRecord,
    FileStatus,
    Fit,
    Investigation,
    Memory,
    Notice,
    Part,
    PartStatus,
    Planned,
    PlanStep,
    Progressed,
    Reflected,
    Reflection,
    Remembered,
    RunSetup,
    Scope,
    Started,
    Verdict,
    Written,
)
from investigator.reports.steps import Pace

ENDED = Investigation(id="8f3a", question="?", setup=RunSetup(engine="a:b"))
MEMORY = Memory(id=1, target_document_id="lease.pdf", question="?", reply="!", point=85, verdict=Verdict.ANSWERS)


def read_file(path: str, status: FileStatus = FileStatus.INDEXED, reason: str = "") -> FileRecord:
    return FileRecord(path=path, status=status, reason=reason, chunks=3)


def lines(events: list[Event], ticks: Iterator[float] | None = None, *, verbose: bool = True) -> list[str]:
    """Return the output to a pipe; the clock stops unless ticks are given."""
    stream = io.StringIO()
    clock = (lambda: next(ticks)) if ticks else (lambda: 0.0)
    token = STREAMS.set(StreamOptions(verbose=verbose))
    try:
        assert follow(iter(events), stream, clock) is ENDED
    finally:
        STREAMS.reset(token)
    return stream.getvalue().splitlines()


def test_without_verbose_only_notes_have_lines() -> None:
    events: list[Event] = [
        Started(run_id="8f3a", engine="a:b", documents=2, resumed=False),
        Notice(text="one file changed"),
        Planned(round=1, strategy="", steps=()),
        Remembered(round=1, done=1, total=1, memory=MEMORY, calls=3, seconds=4.2),
        Answered(investigation=ENDED),
    ]
    assert lines(events, verbose=False) == ["note: one file changed"]


def test_each_event_is_one_plain_line() -> None:
    step = PlanStep(plan_id=1, document_id="lease.pdf", purpose="rent")
    parts = (Part(question="The rent?", status=PartStatus.ANSWERED), Part(question="The term?"))

    assert lines(
        [
            FileRead(done=1, total=1, files=(read_file("scan.pdf", FileStatus.ENCRYPTED, "needs a password"),)),
            Embedded(done=64, total=64),
            Notice(text="one file changed"),
            Started(run_id="8f3a", engine="a:b", documents=2, resumed=True),
            Planned(round=1, strategy="lease first", steps=(step,), refused_document_ids=("x.pdf",)),
            Remembered(round=1, done=1, total=1, memory=MEMORY, calls=3, seconds=4.2),
            Written(round=1, parts=parts),
            Reflected(reflection=Reflection(round=1, known=("x",), unknown=("a", "b"))),
            Planned(round=2, strategy="", steps=(), read_as="What is the rent?", decides=Scope.EVERY),
            Checked(shown=3, withheld=1, fit=Fit.IN_PART),
            Answered(investigation=ENDED),
        ]
    ) == [
        "reading files 1/1: scan.pdf, encrypted: needs a password",
        "computing vectors 64/64",
        "note: one file changed",
        "resuming run 8f3a: 2 documents, a:b",
        "1 document to read, 1 rejected (no such document); lease first",
        "reading documents 1/1: lease.pdf, answers, score 85",
        "answer written; it answers 1 of 2 parts of the question",
        "reviewed: 1 fact known so far, 2 questions open",
        "round 2: 0 documents to read, every document is decided; read as: What is the rent?",
        "checked: 3 statements shown, 1 withheld",
    ]


def test_the_progress_of_a_finder_claims_no_answer() -> None:
    near, far = MEMORY, MEMORY.changed(id=2, verdict=Verdict.NOT_STATED, point=20)
    assert lines(
        [
            Started(run_id="8f3a", engine="extractive:mini", documents=2, resumed=False),
            Remembered(round=1, done=1, total=2, memory=near, calls=1, seconds=1.0),
            Remembered(round=1, done=2, total=2, memory=far, calls=2, seconds=2.0),
            Written(round=1, parts=(Part(question="The rent?", status=PartStatus.ANSWERED),)),
            Reflected(reflection=Reflection(round=1)),
            Checked(shown=3, withheld=0, fit=Fit.UNCHECKED),
            Answered(investigation=ENDED),
        ],
        iter([0.0, 5.0, 6.0, 7.0]),
    ) == [
        "run 8f3a: 2 documents, extractive:mini",
        "reading documents 1/2: lease.pdf, passages found, score 85",
        "reading documents 2/2: lease.pdf, nothing near, score 20",
    ]


def test_a_thousand_files_are_a_few_lines_and_the_last_one_is_shown() -> None:
    events: list[Event] = [FileRead(done=n, total=1000, files=(read_file(f"{n}.txt"),)) for n in range(1, 1001)]
    ticks = (n * 0.01 for n in range(1000))

    shown = lines([*events, Answered(investigation=ENDED)], ticks)

    assert len(shown) == 6
    assert shown[0] == "reading files 1/1000: 1.txt"
    assert shown[1] == "reading files 201/1000: 201.txt, about 8.0 s left"
    assert shown[-1] == "reading files 1000/1000: 1000.txt"


def test_time_left_follows_the_pace_of_its_own_phase() -> None:
    pace = Pace()

    def left(phase: str, done: int, now: float) -> str:
        return pace.detail(Progressed(phase=phase, done=done, total=10), now)

    assert left("files", 1, 100.0) == ""
    assert left("files", 3, 104.0) == "about 14 s left"
    assert left("passages", 1, 500.0) == ""
    assert left("passages", 2, 501.0) == "about 8.0 s left"
    assert left("passages", 10, 502.0) == ""


def test_names_that_would_act_on_the_terminal_are_written_out() -> None:
    name = "[red]\x1b[2J{task.id}\nerror: gone"
    events: list[Event] = [
        Started(run_id="1", engine=name, documents=1, resumed=False),
        FileRead(done=1, total=2, files=(read_file(name),)),
        Answered(investigation=ENDED),
    ]

    assert lines(events) == [
        "run 1: 1 document, [red]\\x1b[2J{task.id} error: gone",
        "reading files 1/2: [red]\\x1b[2J{task.id} error: gone",
    ]
    screen = io.StringIO()
    with Display(screen, lambda: 0.0, live=True, verbose=True) as display:
        for event in events:
            display.show(event)
    assert "[red]\\x1b[2J{task.id}" in screen.getvalue()
    assert "\x1b[2J" not in screen.getvalue()


def test_a_run_that_ends_without_an_outcome_is_an_error() -> None:
    with pytest.raises(RunError, match="without an outcome"):
        follow(iter([Notice(text="x")]), io.StringIO())
