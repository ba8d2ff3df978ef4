"""Modules that commands load: the core loads no chat, no dialogues and no tasks, and help loads no command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from investigator import Investigator

_PROGRAM = """
import sys

def run(*words):
    from investigator.cli.main import app
    try:
        app([*words], prog_name="investigator")
    except SystemExit as end:
        assert end.code in (0, 3, 5), end.code

exec(sys.argv[1])
print("LOADED", *sys.modules, file=sys.stderr)
"""
_OUTSIDE_THE_CORE = {"bb3", "dialogue", "tasks"}
_HEAVY = {
    "chromadb",
    "chromadb_rust_bindings",
    "langchain",
    "langchain_core",
    "langchain_openai",
    "onnxruntime",
    "openai",
    "sentence_transformers",
    "torch",
    "transformers",
}


def command(*words: str | Path) -> str:
    """Return the code that runs a command."""
    return f"run(*{[str(word) for word in words]})"


def loaded(code: str) -> set[str]:
    """Return the modules of this package and the slow packages loaded after the code, in a separate process."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, code], capture_output=True, text=True, timeout=120, check=True
    )
    marker, *names = done.stderr.splitlines()[-1].split()
    assert marker == "LOADED"
    own = {name.removeprefix("investigator.") for name in names if name.startswith("investigator.")}
    return own | _HEAVY.intersection(names)


def beyond_the_core(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] in _OUTSIDE_THE_CORE}


def test_the_front_door_loads_no_chat() -> None:
    modules = loaded("import investigator; investigator.Investigator")
    assert "investigator" in modules
    assert beyond_the_core(modules) == set()


def test_asking_and_showing_load_no_chat(tmp_path: Path) -> None:
    folder, workspace = tmp_path / "documents", tmp_path / "w"
    folder.mkdir()
    (folder / "lease.txt").write_text("The annual rent is EUR 48,000.\n", encoding="utf-8")
    kept = ("--workspace", workspace)
    modules = loaded(command("ask", folder, "What is the annual rent?", *kept))
    assert {"research", "store"} <= {name.partition(".")[0] for name in modules}
    assert beyond_the_core(modules) == set()
    assert "store.vectors" in modules
    assert modules & {*_HEAVY, "engines.chat.engine", "reports.export", "store.postgres", "tracing.trace_file"} == set()
    (run,) = Investigator(folder, workspace=workspace).runs()
    shown = loaded(command("show", run.id, folder, *kept))
    assert "reports.terminal" in shown
    assert beyond_the_core(shown) == set()


def test_a_question_about_what_is_indexed_needs_no_pytorch(tmp_path: Path) -> None:
    folder, workspace = tmp_path / "documents", tmp_path / "w"
    folder.mkdir()
    clauses = "\n\n".join(
        f"Clause {i}. The tenant of unit {i} pays for the repair of what he breaks." for i in range(99)
    )
    (folder / "lease.txt").write_text(f"The annual rent is EUR 48,000.\n\n{clauses}", encoding="utf-8")
    for _ in Investigator(folder, workspace=workspace).index(vectors=True):
        pass
    modules = loaded(command("ask", folder, "What does the tenant of unit 7 pay for?", "--workspace", workspace))
    assert {"store.vectors", "engines.embedding.quick_minilm"} <= modules
    assert modules & _HEAVY == set()


def test_a_server_opens_no_folder_and_loads_no_model_before_they_are_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / name for name in ("leases", "sales")]
    for folder in folders:
        folder.mkdir()
        (folder / "lease.txt").write_text("The annual rent is EUR 48,000.\n", encoding="utf-8")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    model = ("--model", "openai:m", "--set", "chat.base_url=http://127.0.0.1:9/v1")
    serve = command("serve", *folders, "--no-browser", "--port", "0", *model)
    served = loaded(f"from investigator.server.service import Service; Service.wait = lambda _: None; {serve}")
    assert "server.desk" in served
    assert served & _HEAVY == set()
    kept = {path.parent.parent.name for path in (tmp_path / "data").rglob("*.db")}
    assert kept == {"servers"}  # jobs and chats; no workspace of a folder


def test_help_loads_no_command() -> None:
    for words in (["--help"], ["prompts", "--help"]):
        modules = loaded(command(*words))
        assert {name for name in modules if name.startswith("cli.")} == {
            "cli.main",
            "cli.lazy_command",
            "cli.streams",
        }
        assert not modules & {"investigator", "settings", "store", "engines", "doctor"}
        assert beyond_the_core(modules) == set()
