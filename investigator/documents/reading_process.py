"""The process that reads files for the process that started it; to start it by hand, run `python -m
investigator.documents.reading_process`.

A file that hangs, crashes or fills the memory takes down only this process. The process reads requests until standard
input ends, and answers each with the opened file and its contents.
"""

from __future__ import annotations

import faulthandler
import os
import sys
from typing import BinaryIO

from investigator.documents.exchange import ReadAnswer, ReadRequest, receive, send
from investigator.documents.reading import read_contents

_GRACE_SECONDS = 10.0


def main() -> None:
    """Answer requests until standard input ends."""
    requests, answers = sys.stdin.buffer, _own_output()
    send(answers, ReadAnswer())
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        while (data := receive(requests)) is not None:
            request = ReadRequest.model_validate_json(data)
            _limit_memory(request.reader.max_memory)
            # the parent process stops slow files; if it is gone, this process stops itself
            faulthandler.dump_traceback_later(request.reader.max_seconds + _GRACE_SECONDS, exit=True, file=nowhere)
            contents = read_contents(request, lambda opened: send(answers, ReadAnswer(opened=opened)))
            faulthandler.cancel_dump_traceback_later()
            send(answers, ReadAnswer(contents=contents.changed(peak_memory=_peak_memory())))


def _own_output() -> BinaryIO:
    """Reserve standard output for the answers, and redirect what libraries print to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _limit_memory(most: int) -> None:
    """Limit the memory of the process, if the system supports it (Linux)."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", encoding="ascii") as status:
            mapped = int(status.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        allowed = mapped + most if hard == resource.RLIM_INFINITY else min(mapped + most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))


def _peak_memory() -> int:
    """Return the peak memory of the process, in bytes; 0 if the system does not report it.

    On Linux, getrusage may return the peak of the parent process instead.
    """
    if sys.platform == "linux":
        with open("/proc/self/status", encoding="ascii") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")), 0)
    elif sys.platform == "win32":
        return 0
    else:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
