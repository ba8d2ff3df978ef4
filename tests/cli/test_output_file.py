"""`--output` never replaces a device or a pipe."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from threading import Thread

from investigator.cli.streams import StreamOptions


def test_a_pipe_gets_the_result_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    with StreamOptions(output=pipe).applied():
        print("the result")  # noqa: T201
    reader.join(timeout=60)
    assert read == ["the result\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
