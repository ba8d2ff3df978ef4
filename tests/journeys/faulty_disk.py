"""Asks under a disk that fails at one write: `LD_PRELOAD=faults.so python faulty_disk.py FAULTS.so PLACE CASES SEED`.

PLACE holds a folder and a workspace in which ONE was answered; a new document has come since. Each case is a process of
its own, made by a fork, with a copy of the workspace: it asks, the disk fails, and what the command said goes to
standard output as a line of JSON, with what asking again came to and whether what was kept before is still there.
"""

import ctypes
import io
import json
import os
import random
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import typer
from power_plants import ONE

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.chats import open_memory
from investigator.cli.lazy_command import guarded

QUESTION = "How much power does the Willow plant make?"
KINDS = ("no space left", "input/output error", "half written")
FROM_THEN_ON = (True, False, False)


def opened(place: Path) -> Investigator:
    return Investigator(place / "folder", workspace=place / "workspace", embedder=ScriptedEmbedder())


def command_result(place: Path) -> dict[str, object]:
    """Return the result of the command: its exit code, its claims if it has an answer, and its error."""

    def command() -> None:
        answer = opened(place).ask(QUESTION)
        with open_memory(opened(place)) as memory:
            memory.add("anna", f"I asked about the plant {len(memory.memories('anna'))}.")
        typer.echo(json.dumps([quote.text for quote in answer.citations]))

    out, error, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(error):
        try:
            guarded(command)()
        except typer.Exit as end:
            code = end.exit_code
    return {"code": code, "quotes": json.loads(out.getvalue() or "[]"), "error": error.getvalue()}


def kept(place: Path) -> bool:
    """Return True if the earlier run and memory still exist."""
    made = opened(place)
    with open_memory(made) as memory:
        remembered = [fact.text for fact in memory.memories("anna")]
    first = made.runs()[-1]
    return first.question == ONE and made.show(first.id).answer is not None and "I know the plant." in remembered


def main(shim: str, place: str, cases: str, seed: str) -> None:
    """Count the writes of the command, then make some of them fail in each way."""
    faults = ctypes.CDLL(shim)
    template, dice = Path(place), random.Random(int(seed))

    def played(case: Path, number: int, kind: int) -> None:
        shutil.copytree(template, case)
        faults.fault_arm(os.fsencode(case / "workspace"), ctypes.c_long(number), kind, FROM_THEN_ON[kind])
        outcome = command_result(case)
        writes = faults.fault_count()
        faults.fault_arm(b"", ctypes.c_long(0), 0, 0)
        outcome |= {"writes": writes, "at": number, "kind": KINDS[kind]}
        sys.stdout.write(json.dumps({**outcome, "again": command_result(case), "kept": kept(case)}) + "\n")
        sys.stdout.flush()

    def in_a_process(case: Path, number: int, kind: int) -> None:
        child = os.fork()
        if not child:
            try:
                played(case, number, kind)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        shutil.rmtree(case, ignore_errors=True)

    faults.fault_count.restype = ctypes.c_long
    import investigator.documents.reading_process  # noqa: F401 - loaded once, and not in each process

    shutil.copytree(template, template.with_name("counted"))
    faults.fault_arm(os.fsencode(template.with_name("counted") / "workspace"), ctypes.c_long(0), 0, 0)
    reader, writer = os.pipe()
    if not os.fork():
        command_result(template.with_name("counted"))
        os.write(writer, str(faults.fault_count()).encode())
        os._exit(0)
    writes = int(os.read(reader, 20))
    for kind in range(len(KINDS)):
        for number in sorted(dice.sample(range(1, writes + 1), min(writes, int(cases)))):
            in_a_process(template.with_name(f"case{kind}-{number}"), number, kind)


if __name__ == "__main__":
    main(*sys.argv[1:])
