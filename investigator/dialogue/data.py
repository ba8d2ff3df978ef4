"""Tools for data (seed: parlai_core_concepts): `build` makes data once, Dictionary numbers tokens, and DataLoader loads
data in background threads.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from investigator.dialogue.options import Opt, Options
from investigator.errors import DialogueError, in_words

Loaded = TypeVar("Loaded")

BUILT = ".built"
"""The file in a folder of data that contains their version."""


def built(folder: Path, version: str) -> bool:
    """Return True if the folder contains complete data of this version."""
    try:
        return (folder / BUILT).read_text(encoding="utf-8").strip() == version
    except (OSError, UnicodeDecodeError):
        return False


def build(folder: Path, version: str, make: Callable[[Path], None]) -> bool:
    """Call `make` with an empty folder to fill, unless the data of this version is complete; return True if it was
    called. Older data is kept until then, and a second process waits. Raises DialogueError if the folder contains files
    that were not built here, or cannot be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(f".{folder.name}.lock")):
            if built(folder, version):
                return False
            if folder.is_dir() and not (folder / BUILT).is_file() and any(folder.iterdir()):
                hint = "Choose another folder, or empty this one yourself."
                raise DialogueError(f"the folder {folder} contains files that were not built here", hint=hint)
            with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as drafts:
                fresh = Path(drafts, "new")
                fresh.mkdir()
                make(fresh)
                (fresh / BUILT).write_text(f"{version}\n", encoding="utf-8")
                if folder.is_dir():
                    folder.rename(Path(drafts, "old"))
                fresh.rename(folder)
    except OSError as error:
        hint = "Choose a folder that you may write to."
        raise DialogueError(f"the data cannot be built in {folder}: {in_words(error)}", hint=hint) from error
    return True


NULL, START, END, UNKNOWN = "__null__", "__start__", "__end__", "__unk__"
SPECIAL = (NULL, START, END, UNKNOWN)
"""The tokens with the first indices. No text produces them, because `_` in a text is a separate token."""

_TOKEN = re.compile(r" ?[^\W_]+| ?[^\s]|\s")


def tokens_of(text: str) -> list[str]:
    """Split the text into words and signs, with the spaces that precede them; joined, they are the text."""
    return _TOKEN.findall(text)


class Dictionary:
    """Maps tokens to indices and back, so that text that was added is encoded and decoded without loss. Tokens are
    numbered in the order in which they first occur, after those of `SPECIAL`.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._indexes = {token: index for index, token in enumerate(SPECIAL)}
        self._tokens = list(SPECIAL)
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Assign an index to each new token of the text."""
        for token in tokens_of(text):
            if token not in self._indexes:
                self._indexes[token] = len(self._tokens)
                self._tokens.append(token)

    def index(self, token: str) -> int:
        """Return the index of a token, or the index of `UNKNOWN` if the token is not in the dictionary."""
        return self._indexes.get(token, self._indexes[UNKNOWN])

    def token(self, index: int) -> str:
        """Return the token with this index. Raises IndexError if no token has it."""
        return self._tokens[index]

    def encode(self, text: str) -> list[int]:
        """Return the indices of the tokens in the text."""
        return [self.index(token) for token in tokens_of(text)]

    def decode(self, indexes: Sequence[int]) -> str:
        """Return the text of the tokens; `NULL`, `START` and `END` produce nothing. Raises IndexError."""
        return "".join(token for token in map(self.token, indexes) if token not in (NULL, START, END))


class DataLoader:
    """A pool of threads that run requests in the order in which they were made. The `num_load_threads` option (default
    1) sets the number of threads. The threads start with the first request and end with `shutdown`.
    """

    def __init__(self, opt: Options = None) -> None:
        size = Opt.of(opt).number("num_load_threads", 1)
        self._pool = ThreadPoolExecutor(max_workers=size, thread_name_prefix="data-loader")

    def request_load(
        self,
        receive_fn: Callable[[Future[Loaded]], object],
        load_fn: Callable[..., Loaded],
        args: Sequence[object] | Mapping[str, object] = (),
    ) -> Future[Loaded]:
        """Call `load_fn` with the arguments on a thread, and then `receive_fn` with the completed future. The future
        holds the result or the error of `load_fn`; it is also returned. Raises RuntimeError after `shutdown`.
        """
        load = partial(load_fn, **args) if isinstance(args, Mapping) else partial(load_fn, *args)
        future = self._pool.submit(load)
        future.add_done_callback(receive_fn)
        return future

    def shutdown(self) -> None:
        """Finish the requests and end the threads; safe to call again."""
        self._pool.shutdown(wait=True)
