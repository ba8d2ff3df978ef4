"""Damages a workspace at random from a seed: altered rows, changed bytes, other kinds of files, links."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

_MOST_ROWS = 3
_WORDS = ("", "\0", "99 metres", "../../etc/passwd", "{}", "[]", "null", "not_a_status", "9" * 400, "�" * 50)
_INTERNAL = ("sqlite_", "chunk_words_", "card_words_")

Damage = Callable[[Path, random.Random], str]


def damaged(workspace: Path, seed: int) -> str:
    """Damage a workspace in one of many ways, and return the kind of damage."""
    dice = random.Random(seed)
    kinds: tuple[Damage, ...] = (_row, _row, _row, _forged, _bytes, _bytes, _cut, _kind, _link)
    return dice.choice(kinds)(workspace, dice)


def _row(workspace: Path, dice: random.Random) -> str:
    """Alter some rows of one column of any table: by another type, another value of the type, or a copy."""
    path = dice.choice(sorted(workspace.glob("*.db")))
    with closing(sqlite3.connect(path)) as database, database:
        named = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        tables = [name for (name,) in named if not name.startswith(_INTERNAL) or dice.random() < 0.1]
        filled = [name for name in sorted(tables) if database.execute(f'SELECT 1 FROM "{name}"').fetchone()]
        table = dice.choice(filled)
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
        column = dice.choice(columns)
        new: object = None
        rows = [row for (row,) in _tried(database, f'SELECT rowid FROM "{table}"', ())]
        for row in dice.sample(rows, min(len(rows), dice.randint(1, _MOST_ROWS))):
            (old,) = database.execute(f'SELECT "{column}" FROM "{table}" WHERE rowid = ?', [row]).fetchone()
            new = _other(old, dice)
            _tried(database, f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = ?', [new, row])
        if dice.random() < 0.1:
            _tried(database, f'DELETE FROM "{table}"', ())
        return f"{path.name}: {table}.{column} became {new!r:.60}"


def _forged(workspace: Path, dice: random.Random) -> str:
    """Change the contents of all rows in some tables; sometimes with the code of another row."""
    path = dice.choice(sorted(workspace.glob("*.db")))
    with closing(sqlite3.connect(path)) as database, database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables = sorted(name for name in names if not name.startswith(_INTERNAL) and dice.random() < 0.7)
        for table in tables:
            for _, column, kind, *_ in database.execute(f'PRAGMA table_info("{table}")').fetchall():
                if kind in {"TEXT", "VARCHAR"}:
                    says = f"replace(replace(\"{column}\", '11 metres', '99 metres'), 'the harbour', '99 metres')"
                    _tried(database, f'UPDATE "{table}" SET "{column}" = {says}', ())
            if dice.random() < 0.5:
                _tried(database, f'UPDATE "{table}" SET code = (SELECT code FROM "{table}" ORDER BY random())', ())
    return f"{path.name}: forged {', '.join(tables)}"


def _tried(database: sqlite3.Connection, statement: str, values: object) -> list[tuple[object, ...]]:
    """Return the result of a statement; a table may refuse it."""
    try:
        return database.execute(statement, values).fetchall()  # type: ignore[arg-type]
    except sqlite3.Error:
        return []


def _other(old: object, dice: random.Random) -> object:
    """Return another value for a field, usually one that resembles the old value but means something else."""
    if isinstance(old, str) and old and dice.random() < 0.7:
        changed = old.replace("11 metres", "99 metres")
        if changed != old and dice.random() < 0.7:
            return changed
        place = dice.randrange(len(old))
        return old[:place] + dice.choice(("", "9", '"', "\0", "}", "99 metres", old)) + old[place + 1 :]
    if isinstance(old, bytes) and old and dice.random() < 0.7:
        place = dice.randrange(len(old))
        return old[:place] + dice.randbytes(dice.randint(0, 4)) + old[place + 1 :]
    return dice.choice((None, 0, 1, -1, 2**62, 1e300, float("inf"), b"\xff\x00", *_WORDS))


def _file(workspace: Path, dice: random.Random) -> Path:
    return dice.choice(sorted(path for path in workspace.rglob("*") if path.is_file()))


def _bytes(workspace: Path, dice: random.Random) -> str:
    """Change some bytes of a file, as often at its beginning as elsewhere."""
    path = _file(workspace, dice)
    data = bytearray(path.read_bytes() or b"\0")
    for _ in range(dice.choice((1, 1, 8, 200))):
        data[dice.randrange(min(len(data), dice.choice((100, len(data)))))] = dice.randrange(256)
    path.write_bytes(bytes(data))
    return f"bytes of {path.name}"


def _cut(workspace: Path, dice: random.Random) -> str:
    """Truncate a file, or append junk to it."""
    path = _file(workspace, dice)
    data = path.read_bytes()
    path.write_bytes(data[: dice.randint(0, len(data))] if dice.random() < 0.5 else data + dice.randbytes(5_000))
    return f"length of {path.name}"


def _kind(workspace: Path, dice: random.Random) -> str:
    """Replace a file with another kind of thing."""
    path = _file(workspace, dice)
    other = _file(workspace, dice)
    path.unlink()
    put = dice.choice((os.mkfifo, os.mkdir, lambda place: shutil.copyfile(other, place) if other != path else None))
    put(path)
    return f"kind of {path.name}"


def _link(workspace: Path, dice: random.Random) -> str:
    """Replace a file with a link to a file outside, or with a hard link."""
    path, outside = _file(workspace, dice), workspace.parent / "precious"
    path.unlink()
    dice.choice((os.symlink, os.link))(outside, path)
    return f"link as {path.name}"
