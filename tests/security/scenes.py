"""Scenes with a victim: prepared folders and workspaces, played in one process under the audit hook."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from attacks import DOCUMENT, PRECIOUS, TRUE, Scene

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]


def made(root: Path) -> Scene:
    """Create a scene with a true document and nothing hostile."""
    scene = Scene(root, root / "forged")
    for folder in (scene.received, scene.here, root / "data", root / "tmp", root / "home"):
        folder.mkdir(parents=True)
    (scene.received / DOCUMENT).write_text(TRUE, encoding="utf-8")
    scene.precious.write_bytes(PRECIOUS)
    return scene


def outside(scene: Scene) -> Iterator[tuple[str, int, bytes]]:
    """Return everything outside the folders in which files may change: path, kind, permissions and content."""
    own = {scene.root / "data", scene.root / "tmp", scene.workspace, scene.root / "audit.log"}
    for path in sorted(scene.root.rglob("*")):
        if own.isdisjoint({path, *path.parents}) or path.is_relative_to(scene.received):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            yield str(path), status.st_mode, content


def seen(scene: Scene) -> str:
    """Return the forbidden actions that the audit hook recorded."""
    log = scene.root / "audit.log"
    return log.read_text(encoding="utf-8") if log.exists() else ""


def outputs_of(scenes: Sequence[Scene], seconds: float) -> list[str]:
    """Make the victim do what users do; return the output of each scene that ended in the given number of seconds."""
    played = [
        {
            "arguments": [str(scene.received), str(scene.workspace) if scene.workspace is not None else None],
            "environment": _environment(scene),
            "here": str(scene.here),
        }
        for scene in scenes
    ]
    environment = {"PATH": os.environ.get("PATH", ""), **_environment(scenes[0])}
    words = [sys.executable, str(HERE / "victim.py")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            out, _ = process.communicate(json.dumps(played), timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
    outputs = [json.loads(line) for line in out.splitlines()]
    return outputs + ["it was not reached, or did not end"] * (len(scenes) - len(outputs))


def _environment(scene: Scene) -> dict[str, str]:
    own = [scene.root / "data", scene.root / "tmp", scene.root / "audit.log"]
    if scene.workspace is not None and not scene.workspace.is_relative_to(scene.received):
        own.append(scene.workspace)
    return {
        "HOME": str(scene.root / "home"),
        "TMPDIR": str(scene.root / "tmp"),
        "XDG_DATA_HOME": str(scene.root / "data"),
        "HF_HUB_OFFLINE": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(map(str, (HERE / "audit", REPOSITORY))),
        "AUDIT_LOG": str(scene.root / "audit.log"),
        "AUDIT_MAY_WRITE": os.pathsep.join(map(str, own)),
        "AUDIT_HOSTILE": os.pathsep.join(map(str, (scene.root / "inbox", scene.here, scene.forged))),
    }
