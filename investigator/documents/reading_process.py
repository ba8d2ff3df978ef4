"""The process that reads files for its owner; `python -m investigator.documents.reading_process` starts one by hand.

A file that hangs, crashes or fills the memory takes down only this process. It takes requests from standard input until
that ends, and answers each with what was opened and what it holds.
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
    """Read until there is nothing more to read."""
    requests, answers = sys.stdin.buffer, _own_output()
    send(answers, ReadAnswer())
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        while (data := receive(requests)) is not None:
            request = ReadRequest.model_validate_json(data)
            _limit_memory(request.reader.max_memory)
            # the owner stops a file that takes too long; this one does it if the owner is gone
            faulthandler.dump_traceback_later(request.reader.max_seconds + _GRACE_SECONDS, exit=True, file=nowhere)
            contents = read_contents(request, lambda opened: send(answers, ReadAnswer(opened=opened)))
            faulthandler.cancel_dump_traceback_later()
            send(answers, ReadAnswer(contents=contents.changed(peak_memory=_peak_memory())))


def _own_output() -> BinaryIO:
    """Standard output only for the answers: what a library prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _limit_memory(most: int) -> None:
    """Refuse more memory than this to the process, if the system can (Linux)."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", encoding="ascii") as status:
            mapped = int(status.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        allowed = mapped + most if hard == resource.RLIM_INFINITY else min(mapped + most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))


def _peak_memory() -> int:
    """Return the most memory that the process has held, in bytes; 0 if the system does not report it.

    Not from getrusage on Linux, which starts with the value of the parent process.
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
