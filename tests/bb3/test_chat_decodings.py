"""Decoding options of single chat modules: those that reach an engine, and the notices about unsupported ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tiny_model import write_tiny_model

from investigator.bb3.chats import open_chat
from investigator.bb3.decoding.applied import engines_with_decodings
from investigator.bb3.decoding.options import OptionValue, module_decodings
from investigator.bb3.extractive import chat_answers
from investigator.bb3.records import Module
from investigator.dialogue.messages import Message
from investigator.engines.base import Engine, Hear
from investigator.engines.extractive import ExtractiveEngine
from investigator.engines.scripted import ScriptedEmbedder, ScriptedEngine
from investigator.engines.transformers.engine import TransformersEngine
from investigator.errors import SettingsError
from investigator.investigator import Investigator
from investigator.records import Prompt, Reply
from investigator.records.decoding import Decoding, Inference


class Overheard(TransformersEngine):
    """A tiny model that records its outputs with their templates."""

    def __init__(self, model: Path, heard: list[tuple[str, str]]) -> None:
        super().__init__(model)
        self.decoding = Decoding(beam_max_length=16, stop_token="")
        self.heard = heard

    def reply(self, prompt: Prompt, hear: Hear | None = None) -> Reply:
        reply = super().reply(prompt, hear)
        self.heard.append((prompt.template, reply.text))
        return reply


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "documents"
    made.mkdir()
    (made / "harbour.md").write_text("# Harbour\n\nThe harbour of Vigo was dredged in 1997.\n", encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"), 4096)


def turn(investigator: Investigator, **chat: Any) -> Message:
    with open_chat(investigator, **chat) as opened:
        return opened.reply([(opened.start("ida"), Message(text="When was the harbour of Vigo dredged?"))])[0]


def written(folder: Path, model: Path, **options: OptionValue) -> list[tuple[str, str]]:
    """Return what the tiny model writes in a turn, for each module that writes the reply."""
    heard: list[tuple[str, str]] = []
    engine = Overheard(model, heard)
    notices: list[str] = []
    turn(
        Investigator(folder, embedder=ScriptedEmbedder()),
        models={Module.SRM: engine},
        decodings=module_decodings(options),
        on_notice=notices.append,
    )
    assert [notice for notice in notices if "srm" in notice] == []
    return heard


def test_the_method_that_a_module_is_told_is_how_its_tokens_are_chosen(
    folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = written(folder, model)
    assert {template for template, _ in plain} == {"bb3/srm"}
    assert written(folder, model) == plain
    assert written(folder, model, mrm_inference="beam", mrm_beam_size=4) == plain
    whole: dict[str, OptionValue] = {"srm_inference": "factual_nucleus", "srm_topp": 1.0, "srm_omega_bound": 1.0}
    factual, again = (written(folder, model, **whole) for _ in range(2))
    assert factual == again
    monkeypatch.setattr("investigator.engines.transformers.model.SEED", 1)
    other = written(folder, model, **whole)
    no_pair_twice = written(folder, model, srm_beam_block_ngram=2)
    beam = written(folder, model, srm_inference="beam", srm_beam_size=8, srm_beam_block_ngram=2)
    assert len({str(found) for found in (plain, factual, other, no_pair_twice, beam)}) == 5


def test_what_the_engine_of_a_chat_cannot_be_told_is_said_and_the_chat_goes_on(folder: Path) -> None:
    notices: list[str] = []
    told = module_decodings({"srm_inference": "nucleus", "sdm_inference": "greedy", "mgm_topk": 3, "beam_size": 2})
    investigator = Investigator(folder, embedder=ScriptedEmbedder())
    reply = turn(investigator, decodings=told, on_notice=notices.append)
    assert "1997" in reply.text
    name = investigator.engine_name
    assert notices == [f"{name} uses its own settings for beam_size 2, mgm_topk 3, srm_inference nucleus"]


def test_options_tell_a_decoding_of_those_they_name_and_nothing_else() -> None:
    told = module_decodings({"srm-topp": 0.8, "sdm_include_prompt": False, "skm_temperature": 1})
    assert told == {Module.SRM: Decoding(topp=0.8), Module.SKM: Decoding(temperature=1.0)}
    assert [decoding.model_fields_set for decoding in told.values()] == [{"temperature"}, {"topp"}]
    assert module_decodings({}) == {}
    every = module_decodings({"beam_max_length": 40, "srm_beam_max_length": 60})
    assert {module: decoding.beam_max_length for module, decoding in every.items()} == {
        module: 60 if module is Module.SRM else 40 for module in Module
    }
    with pytest.raises(SettingsError, match="did you mean"):
        module_decodings({"srm_tpop": 0.8})


@pytest.fixture
def engines(model: Path) -> dict[Module, Engine]:
    return {
        Module.SDM: ExtractiveEngine(ScriptedEmbedder(), chat_answers),
        Module.SRM: TransformersEngine(model),
        Module.MRM: ScriptedEngine({}),
    }


def told(engines: dict[Module, Engine], modules: Sequence[Module], **options: Any) -> tuple[str, ...]:
    notices: list[str] = []
    made = engines_with_decodings(engines, dict.fromkeys(modules, Decoding(**options)), notices.append)
    assert set(made) == set(modules)
    return tuple(notices)


def test_each_kind_of_engine_says_what_it_leaves_out(engines: dict[Module, Engine]) -> None:
    assert told(engines, list(engines)) == ()
    assert told(engines, [Module.SDM], inference=Inference.GREEDY) == ()
    assert told(engines, [Module.SRM], inference=Inference.BEAM, beam_block_ngram=3) == ()
    (notice,) = told(engines, [Module.MRM], inference=Inference.NUCLEUS)
    assert notice.endswith("for mrm_inference nucleus")
    assert notice.startswith("scripted")
