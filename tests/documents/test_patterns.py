"""The ignore file of a folder excludes the same files as git would."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from investigator.documents.ignoring import Patterns
from investigator.documents.scanning import FolderSettings, scan

FILES = (
    "a.txt", "b.txt", "^.txt", "a*b", "axb", "#odd", "!odd", "[a]", "keep.log", "x.log", "Äpfel.txt", "a b ",
    "report-7.pdf", "report-x.pdf", "drafts/a.txt", "drafts/keep.log", "old/a.txt", "x/old/a.txt", "x/drafts",
    "x/y/z/a.txt", "x/z/b.txt", "x/keep/a.log", "x/keep/deep/b.log", "z/x/y/a.txt",
)  # fmt: skip
IGNORED = (
    "*.log", "*.log\n!keep.log", "!keep.log\n*.log", "drafts", "drafts/", "/old", "old/", "a.txt", "/a.txt",
    "x/old", "x/*", "x/**", "x/**/", "**/z", "x/**/z", "x/**/*.txt", "**/y/**", "?.txt", "[ab].txt", "[^a].txt",
    "[!a].txt", "[a-]*", "[[a]*", "a\\*b", "a*b", "\\#odd", "\\!odd", "#odd", "\\[a]", "Ä*", "a b\\ ", "a b ",
    "report-[0-9].pdf", "*", "*/", "**", "!", "/", "\\", "[", "drafts/\n!drafts/keep.log",
    "drafts/*\n!drafts/keep.log", "*\n!x/\n!x/keep/\n!x/keep/**", "x/*\n!x/keep\nx/keep/*\n!x/keep/a.log",
    "*.txt\n!/x/**/*.txt", "  # blank first", "x/y//z", "**a.txt", "x/**y/z",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("folder")
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


@pytest.mark.skipif(shutil.which("git") is None, reason="git, which the result is compared with, is not installed")
def test_an_ignore_file_leaves_out_what_git_would(folder: Path, tmp_path: Path) -> None:
    settings = FolderSettings(exclude=())
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    list_untracked = ["git", "-C", str(folder), "ls-files", "--others", "-z", "--exclude-from", ".investigatorignore"]
    differing = {}
    for lines in IGNORED:
        (folder / ".investigatorignore").write_text(f"{lines}\n", encoding="utf-8")
        listed = subprocess.run(list_untracked, check=True, capture_output=True, encoding="utf-8").stdout.split("\0")
        kept_by_git = {name for name in listed if name and not name.startswith(".")}
        kept = {file.id for file in scan(folder, settings).files}
        if kept != kept_by_git:
            differing[lines] = kept ^ kept_by_git
    (folder / ".investigatorignore").unlink()
    assert differing == {}


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("**/a/" * 100 + "b", "a/" * 200 + "a"),
        ("*a" * 400 + "b", "a" * 255),
        ("*a*a*a*a*a/" * 10 + "b", "/".join(["a" * 50] * 12)),
        ("x/**/*a*a/" * 20 + "b", "x/aaaa/" * 200 + "c"),
    ],
)
def test_a_hostile_pattern_is_not_slow(pattern: str, path: str) -> None:
    began = time.process_time()
    assert not Patterns([pattern]).match(path, is_folder=False)
    assert time.process_time() - began < 10


@pytest.mark.parametrize("pattern", ["Thumbs.db", "~$*", "node_modules", "a.b-c$", ".hidden", "...x*"])
def test_a_plain_name_matches_as_it_does_in_pathspec(pattern: str) -> None:
    theirs, _ = GitIgnoreSpecPattern.pattern_to_regex(pattern)
    name = pattern.replace("*", "tail")
    for path in (name, f"x/{name}", f"x/y z/{name}", f"{name}x", f"x{name}", f"{name}/x", name.upper(), name[:-1]):
        for is_folder in (False, True):
            matched = re.fullmatch(theirs, f"{path}/" if is_folder else path, re.DOTALL) is not None
            assert Patterns([pattern]).match(path, is_folder=is_folder) == matched, path


@pytest.mark.parametrize(
    ("pattern", "path", "is_folder", "matches"),
    [
        ("*.log", "deep/down/a.log", False, True),
        ("drafts/", "x/drafts", True, True),
        ("drafts/", "drafts", False, False),
        ("/top.txt", "x/top.txt", False, False),
        ("a/**", "a/b/c.txt", False, True),
        ("a/**", "a", True, False),
        ("a/**/z", "a/z", False, True),
        ("[^a].txt", "a.txt", False, False),
        ("a\\*b", "axb", False, False),
        *((line, "a", False, False) for line in ("", "/", "!", "# talk", "\\")),
    ],
)
def test_a_pattern_matches_as_the_format_says(pattern: str, path: str, is_folder: bool, matches: bool) -> None:
    assert bool(Patterns([pattern]).match(path, is_folder=is_folder)) is matches
