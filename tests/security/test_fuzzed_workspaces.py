"""A workspace whose bytes and kinds of files were altered at random causes no crash, no hang and no false proof.
Every damage follows from its seed. `make fuzz` plays more of them; their number is a tenth of INVESTIGATOR_FUZZ.
"""

import os
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import scenes
from attacks import DOCUMENT, PLANTED, TRUE, Scene
from victim import QUESTION

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.chats import open_memory

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and pipes need rights that Windows users lack")

SEEDS = range(max(4, int(os.environ.get("INVESTIGATOR_FUZZ", "0")) // 10))
FIRST = int(os.environ.get("INVESTIGATOR_FUZZ_FIRST", "0"))
_AT_ONCE = 60  # scenes of one process
_SECONDS = 12.0  # of a scene
_START = 40.0  # seconds until the process has begun with the first, on a busy machine


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """A scene with a workspace of the victim in which a question was answered and something was remembered."""
    scene = scenes.made(tmp_path_factory.mktemp("template") / "scene")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(scene.root / "data"))
        own = Investigator(scene.received, workspace=scene.named_workspace(), embedder=ScriptedEmbedder())
        list(own.index(vectors=True))
        assert TRUE in own.ask(QUESTION).text
        with open_memory(own) as memory:
            memory.add("anna", "I know the harbour.")
    return scene


def damaged(workspace: Path, seed: int) -> str:
    """Damage a workspace in one of many ways, and return the kind of damage."""
    dice = random.Random(seed)
    path, other = (dice.choice(sorted(file for file in workspace.rglob("*") if file.is_file())) for _ in range(2))
    data, kind = bytearray(path.read_bytes()), dice.choice(("bytes", "bytes", "length", "kind", "link"))
    if kind == "bytes":  # as often at its beginning as elsewhere
        data = data or bytearray(1)
        for _ in range(dice.choice((1, 1, 8, 200))):
            data[dice.randrange(min(len(data), dice.choice((100, len(data)))))] = dice.randrange(256)
        path.write_bytes(data)
    elif kind == "length":
        path.write_bytes(data[: dice.randint(0, len(data))] if dice.random() < 0.5 else data + dice.randbytes(5_000))
    else:
        copied = other.read_bytes() if other != path else dice.randbytes(5_000)
        puts: dict[str, tuple[Callable[[Path], object], ...]] = {
            "kind": (os.mkfifo, os.mkdir, lambda place: place.write_bytes(copied)),
            "link": tuple(partial(link, workspace.parent / "precious") for link in (os.symlink, os.link)),
        }
        path.unlink()
        dice.choice(puts[kind])(path)
    return f"{kind} of {path.name}"


def fuzzed(template: Scene, root: Path, seed: int) -> tuple[Scene, str]:
    """Return a copy of the scene with one damage to its workspace, and the kind of damage."""
    shutil.copytree(template.root, root)
    scene = Scene(root, root / "forged", root / "named")
    status = (template.received / DOCUMENT).stat()
    os.utime(scene.received / DOCUMENT, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert scene.workspace is not None
    return scene, damaged(scene.workspace, seed)


def test_no_damage_crashes_hangs_runs_or_proves_anything_false(template: Scene, tmp_path: Path) -> None:
    failures = []
    for start in range(0, len(SEEDS), _AT_ONCE):
        seeds = [FIRST + seed for seed in SEEDS[start : start + _AT_ONCE]]
        made = [fuzzed(template, tmp_path / str(seed), seed) for seed in seeds]
        before = [list(scenes.outside(scene)) for scene, _ in made]
        output = scenes.outputs_of([scene for scene, _ in made], _START + _SECONDS * len(made))
        for seed, (scene, damage), words, then in zip(seeds, made, output, before, strict=True):
            after = list(scenes.outside(scene))
            if problem := _problem(words, scenes.seen(scene), unchanged=then == after):
                failures.append(f"seed {seed}, {damage}: {problem}")
        for scene, _ in made:
            shutil.rmtree(scene.root)
    assert not failures, "\n".join(failures)


def _problem(output: str, seen: str, *, unchanged: bool) -> str:
    """Return the problem with the outcome of a scene, if any."""
    if seen:
        return f"it did what it must not: {seen}"
    if "crash: " in output or "did not end" in output:
        return output[-1500:]
    if PLANTED in output:
        return f"something false was proven: {output[:1500]}"
    if "error: " in output and "hint: \n" in output:
        return f"an error without a hint: {output[:1500]}"
    return "" if unchanged else "a file outside was changed"
