"""The power plant's folder, and an investigator whose engine follows the script."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from power_plant import GOOD, TEXTS

from investigator import Investigator, ScriptedEmbedder, ScriptedEngine, load_settings


@pytest.fixture(scope="session")
def of_texts(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Investigator]:
    """Return a function that writes these texts into a new folder, and returns an investigator of it."""

    def make(texts: Mapping[str, str], **parts: object) -> Investigator:
        at = tmp_path_factory.mktemp("texts")
        (at / "folder").mkdir()
        for name, text in texts.items():
            (at / "folder" / name).write_text(text, encoding="utf-8")
        given = {"embedder": ScriptedEmbedder(), "workspace": at / "workspace", **parts}
        return Investigator(at / "folder", **given)  # type: ignore[arg-type]

    return make


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three short documents."""
    made = tmp_path / "folder"
    made.mkdir()
    for name, text in TEXTS.items():
        (made / name).write_text(text, encoding="utf-8")
    return made


@pytest.fixture
def investigator(folder: Path) -> Callable[..., tuple[Investigator, ScriptedEngine]]:
    """Return an investigator of the folder whose engine follows the good script with the given changes.

    Each document is read in a call of its own, unless the settings say otherwise.
    """

    def make(*settings: str, **changes: object) -> tuple[Investigator, ScriptedEngine]:
        named = {name.replace("__", "/"): script for name, script in changes.items()}
        engine = ScriptedEngine({**GOOD, **named})  # type: ignore[dict-item]
        chosen = load_settings(None, ["research.whole_tokens=0", *settings])
        return Investigator(folder, model=engine, embedder=ScriptedEmbedder(), settings=chosen), engine

    return make
