"""Watches a Python process from its start: what it runs, connects to, opens for writing and changes outside its places.

Python loads it by its name if this folder is on PYTHONPATH, in child processes too. `AUDIT_LOG` names the file that
gets a line for each thing that must not happen, `AUDIT_MAY_WRITE` the folders in which files may change, and
`AUDIT_HOSTILE` the folders from which nothing may be run or opened as a database. A process may change all three.
"""

import os
import sys

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_RUNS = {"os.system", "os.exec", "os.posix_spawn", "os.startfile", "pty.spawn", "sqlite3.load_extension"}
_CONNECTS = {"socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind", "urllib.Request"}
_CHANGES = {"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.chmod", "os.chown", "os.truncate", "os.utime"}
_LINKS = {"os.link", "os.symlink"}
_reporting = False


def _path(value: object) -> str:
    try:
        return os.path.realpath(os.fsdecode(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""


def _beside(descriptor: int | None, name: object) -> object:
    """Return a name below an open folder as a path."""
    return name if descriptor is None else os.path.join(os.readlink(f"/proc/self/fd/{descriptor}"), os.fsdecode(name))


def _within(path: str, variable: str) -> bool:
    folders = os.environ.get(variable, "").split(os.pathsep)
    return any(folder and (path == folder or path.startswith(folder + os.sep)) for folder in folders)


def _may_change(value: object) -> bool:
    path = _path(value)
    return not path or path == os.devnull or _within(path, "AUDIT_MAY_WRITE")


def _forbidden(event: str, args: tuple) -> bool:
    if event in _RUNS or event in _CONNECTS:
        return event != "socket.bind" or not isinstance(args[1], str | bytes)  # a Unix socket is a file
    if event == "subprocess.Popen":
        return _path(args[0]) != os.path.realpath(sys.executable)
    if event == "exec":
        file = getattr(args[0], "co_filename", "")
        return not file.startswith("<") and _within(_path(file), "AUDIT_HOSTILE")
    if event == "open":
        mode, flags = args[1] or "", args[2] or 0
        writes = bool(flags & _WRITING) or any(sign in str(mode) for sign in "wax+")
        return writes and not isinstance(args[0], int) and not _may_change(args[0])
    if event in _CHANGES:
        at = args[-1] if isinstance(args[-1], int) and args[-1] >= 0 and event in {"os.remove", "os.rmdir"} else None
        changed = args[:2] if event == "os.rename" else args[:1]
        return not all(isinstance(value, int) or _may_change(_beside(at, value)) for value in changed)
    if event in _LINKS:
        return not _may_change(args[1])
    if event == "sqlite3.connect":
        return args[0] != ":memory:" and _within(_path(args[0]), "AUDIT_HOSTILE")
    return event == "ctypes.dlopen" and args[0] is not None and _within(_path(args[0]), "AUDIT_HOSTILE")


def _watch(event: str, args: tuple) -> None:
    global _reporting
    if _reporting or not _forbidden(event, args):
        return
    _reporting = True
    try:
        with open(os.environ["AUDIT_LOG"], "a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(f"{event} {args!r}"[:500] + "\n")
    finally:
        _reporting = False


if os.environ.get("AUDIT_LOG"):
    sys.addaudithook(_watch)
