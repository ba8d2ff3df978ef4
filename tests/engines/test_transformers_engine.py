"""A language model in a folder, here a tiny one with random weights."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_model import END, WORDS, write_tiny_model

from investigator.bb3.decoding.applied import engine_with_decoding
from investigator.bb3.records import PhraseReply, Speaker, Turn, TurnsVariables
from investigator.engines.base import Engine, TokenCounter, tokens_of, traits_of
from investigator.engines.transformers.engine import TransformersEngine
from investigator.engines.transformers.token_rules import Schedule, ends_sentence
from investigator.errors import ContextTooLongError, EngineError, SettingsError
from investigator.records import FinishReason, Prompt
from investigator.records.decoding import Decoding, Inference

CONTEXT = 64
TEXT = "a b c d"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny"), CONTEXT)


@pytest.fixture(scope="module")
def engine(folder: Path) -> TransformersEngine:
    return TransformersEngine(folder).with_decoding(Decoding(beam_max_length=12, stop_token=""))


def with_decoding(engine: TransformersEngine, decoding: Decoding) -> TransformersEngine:
    made = engine_with_decoding(engine, decoding)
    assert isinstance(made, TransformersEngine)
    return made


@pytest.fixture(scope="module")
def judge(folder: Path) -> Any:
    """Return the probabilities of the next token after each of some tokens, by the model alone: shape (tokens,
    vocabulary).
    """
    import torch
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder).eval()

    def probabilities(ids: list[int]) -> list[list[float]]:
        with torch.inference_mode():
            drawn: list[list[float]] = model(torch.tensor([ids])).logits[0].softmax(-1).tolist()
        return drawn

    return probabilities


def ids_of(text: str) -> list[int]:
    vocabulary = [END, "<unk>", *WORDS]
    return [vocabulary.index(letter) for letter in text if letter != " "]


def decoding(inference: Inference, most: int = 12, **options: Any) -> Decoding:
    return Decoding(inference=inference, beam_max_length=most, stop_token="", **options)


def prompt(text: str) -> Prompt:
    variables = TurnsVariables(turns=(Turn(speaker=Speaker.PARTNER, text=text),))
    return Prompt(template="bb3/sgm", variables=variables, text=text, reply_type=PhraseReply)


def nucleus(probabilities: list[float], share: float) -> set[int]:
    """Return the smallest set of tokens with that share of the probability, computed independently."""
    held: set[int] = set()
    mass = 0.0
    for token in sorted(range(len(probabilities)), key=lambda token: -probabilities[token]):
        if held and mass >= share - 1e-6:
            break
        held.add(token)
        mass += probabilities[token]
    return held


def steps(judge: Any, written: str) -> list[tuple[int, list[float]]]:
    """Return each token written after the text, with the model's probabilities at its position."""
    before, after = ids_of(TEXT), ids_of(written)
    return list(zip(after, judge([*before, *after])[len(before) - 1 :], strict=False))


def test_greedy_takes_the_likeliest_token_at_each_step(engine: TransformersEngine, judge: Any) -> None:
    drawn = steps(judge, engine.write_on(TEXT, decoding(Inference.GREEDY, beam_min_length=12)).text)
    assert len(drawn) == 12
    assert all(probabilities[token] == max(probabilities[1:]) for token, probabilities in drawn[:11])


def test_beam_search_finds_a_likelier_text_than_greedy_where_there_is_one(engine: TransformersEngine) -> None:
    gains = []
    for text in "abcd":
        greedy = engine.write_on(text, decoding(Inference.GREEDY, 4, beam_min_length=4))
        beam = engine.write_on(text, decoding(Inference.BEAM, 4, beam_size=8, beam_min_length=4))
        gains.append(beam.logprob - greedy.logprob)
    assert min(gains) >= -1e-4
    assert max(gains) > 0.01


def test_the_probability_of_a_text_is_that_of_the_model(engine: TransformersEngine, judge: Any) -> None:
    done = engine.write_on(TEXT, decoding(Inference.GREEDY, 6, beam_min_length=6))
    ids, written = ids_of(TEXT), ids_of(done.text)
    after = judge([*ids, *written])
    expected = sum(math.log(after[len(ids) - 1 + n][token]) for n, token in enumerate(written))
    assert len(written) == 6
    assert done.logprob == pytest.approx(expected, abs=1e-3)


Sampled = Callable[..., list[tuple[str, list[tuple[int, list[float]]]]]]


@pytest.fixture
def sampled(engine: TransformersEngine, judge: Any, monkeypatch: pytest.MonkeyPatch) -> Sampled:
    """Write a text with each of four seeds, and return it with its steps."""

    def texts(inference: Inference, most: int = 12, **options: Any) -> list[tuple[str, list[tuple[int, list[float]]]]]:
        written = []
        for seed in range(4):
            monkeypatch.setattr("investigator.engines.transformers.model.SEED", seed)
            text = engine.write_on(TEXT, decoding(inference, most, **options)).text
            written.append((text, steps(judge, text)))
        assert len({text for text, _ in written}) > 1
        return written

    return texts


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_nucleus_takes_no_token_outside_the_share(sampled: Sampled, share: float) -> None:
    for _, after in sampled(Inference.NUCLEUS, topp=share):
        assert all(token in nucleus(probabilities, share) for token, probabilities in after)


def test_factual_nucleus_takes_no_token_outside_the_share_of_its_step(sampled: Sampled) -> None:
    schedule = Schedule(p=0.9, decay=0.6, bound=0.1)
    options = {"topp": schedule.p, "lambda_decay": schedule.decay, "omega_bound": schedule.bound}
    beyond_the_last_share = 0
    for text, after in sampled(Inference.FACTUAL_NUCLEUS, 16, **options):
        ends = [ends_sentence(letter) for letter in text]
        for n, (token, probabilities) in enumerate(after):
            assert token in nucleus(probabilities, schedule.share(ends[:n]))
            beyond_the_last_share += token not in nucleus(probabilities, schedule.bound)
    assert beyond_the_last_share  # so a share that never changed would not have passed


def test_topk_draws_from_the_k_likeliest(sampled: Sampled) -> None:
    after = [step for _, text in sampled(Inference.TOPK, topk=3) for step in text]
    ranks = {sorted(probabilities, reverse=True).index(probabilities[token]) for token, probabilities in after}
    assert {0} < ranks <= {0, 1, 2}


def test_of_several_samples_the_likeliest_is_taken(engine: TransformersEngine) -> None:
    drawing = decoding(Inference.SAMPLE_AND_RANK, 5, beam_min_length=5)
    single, many = (drawing.changed(beam_size=size) for size in (1, 12))
    assert engine.write_on(TEXT, many).logprob > engine.write_on(TEXT, single).logprob


def test_the_same_seed_gives_the_same_text_and_leaves_the_randomness_of_others_alone(folder: Path) -> None:
    import torch

    own, other = (TransformersEngine(folder) for _ in range(2))
    torch.manual_seed(11)
    first = own.write_on(TEXT, decoding(Inference.NUCLEUS)).text
    drawn = torch.rand(1).item()
    torch.manual_seed(11)
    assert other.write_on(TEXT, decoding(Inference.NUCLEUS)).text == first
    torch.manual_seed(11)
    assert drawn == torch.rand(1).item()


def test_blocked_sequences_and_penalised_tokens_are_repeated_less(engine: TransformersEngine) -> None:
    def written(**options: Any) -> str:
        return engine.write_on(TEXT, decoding(Inference.GREEDY, 40, beam_min_length=40, **options)).text

    plain, blocked = written(), pairs(written(beam_block_ngram=2))
    assert len(pairs(plain)) > len(set(pairs(plain)))
    assert len(blocked) == len(set(blocked))
    assert len(set(written(penalize_repetitions=True))) > len(set(plain))


def test_nothing_of_blocked_length_is_copied_from_the_prompt(engine: TransformersEngine) -> None:
    first = engine.write_on(TEXT, decoding(Inference.GREEDY, 3, beam_min_length=3)).text
    again = " ".join((*TEXT.split(), *first, *TEXT.split()))
    options = decoding(Inference.GREEDY, 8, beam_min_length=8, beam_context_block_ngram=2)
    written = again[-1] + engine.write_on(again, options).text
    assert not set(pairs(written)) & set(pairs(again.replace(" ", "")))


def pairs(text: str) -> list[str]:
    return [text[n : n + 2] for n in range(len(text) - 1)]


def test_a_text_ends_before_its_stop_but_not_before_its_least_length(engine: TransformersEngine) -> None:
    plain = engine.write_on(TEXT, decoding(Inference.GREEDY, 12)).text
    stop = plain[2]
    place = plain.index(stop)
    options = Decoding(inference=Inference.GREEDY, beam_max_length=12, stop_token=stop)
    done = engine.write_on(TEXT, options)
    assert done.text == plain[:place]
    assert done.finish_reason is FinishReason.STOP
    longer = engine.write_on(TEXT, options.changed(beam_min_length=8))
    assert longer.output_tokens > 8


def test_a_reply_counts_its_tokens_and_says_when_it_was_cut(engine: TransformersEngine) -> None:
    assert isinstance(engine, Engine)
    assert isinstance(engine, TokenCounter)
    reply = engine.reply(prompt(TEXT))
    assert reply.input_tokens == tokens_of(engine, TEXT) == 4
    assert 0 < reply.output_tokens <= 12
    cut = engine.write_on(TEXT, decoding(Inference.GREEDY, 3, beam_min_length=3))
    assert cut.finish_reason is FinishReason.LENGTH
    assert cut.output_tokens == 3


def test_it_is_a_model_that_answers_one_prompt_at_a_time(engine: TransformersEngine, folder: Path) -> None:
    traits = traits_of(engine)
    assert traits.is_model
    assert traits.concurrency == 1
    assert traits.context_tokens == CONTEXT - 12
    assert engine.name == f"transformers:{folder.name}@{(folder / 'model.safetensors').stat().st_size}"


def test_an_engine_writes_as_it_is_told_with_the_model_that_is_loaded(engine: TransformersEngine) -> None:
    numbers: dict[str, Any] = {"beam_size": 8, "beam_min_length": 12, "topk": 2, "topp": 0.8}
    texts = ("c d e", "q", "m n o p")
    engines = {method: with_decoding(engine, Decoding(inference=method, **numbers)) for method in Inference}
    alone = {
        method: [engine.write_on(text, decoding(method, **numbers)).text for text in texts] for method in Inference
    }
    assert {method: [own.reply(prompt(text)).text for text in texts] for method, own in engines.items()} == alone
    assert len(set(map(tuple, alone.values()))) == len(Inference)
    for own in engines.values():
        assert own.name == engine.name
        assert own._loaded() is engine._loaded()
    assert len({traits_of(own).sampling for own in (engine, *engines.values())}) == 1 + len(Inference)


def test_what_is_told_in_part_leaves_the_rest_as_it_is(engine: TransformersEngine) -> None:
    whole = with_decoding(engine, Decoding(beam_min_length=12))
    assert whole.reply(prompt(TEXT)).text == engine.write_on(TEXT, decoding(Inference.GREEDY, beam_min_length=12)).text
    warm = with_decoding(engine, Decoding(temperature=3.0))
    free = decoding(Inference.NUCLEUS, topp=-1, temperature=3.0)
    assert warm.reply(prompt(TEXT)).text == engine.write_on(TEXT, free).text


def test_threads_get_what_one_gets_alone(engine: TransformersEngine) -> None:
    texts = ["a b", "c d e", "q", "r s t u"] * 2
    alone = {text: engine.reply(prompt(text)).text for text in texts}
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda text: (engine.reply(prompt(text)).text, engine.count_tokens(text)), texts))
    assert together == [(alone[text], len(text.split())) for text in texts]


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (" ".join("a" * 60), ContextTooLongError, "60 tokens and a reply of up to 12 do not fit"),
        ("", EngineError, "empty prompt"),
    ],
)
def test_a_prompt_that_cannot_be_continued_is_refused(
    engine: TransformersEngine, text: str, kind: type[EngineError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        engine.reply(prompt(text))


def test_a_prompt_cannot_end_its_own_turn(engine: TransformersEngine) -> None:
    assert engine.count_tokens(f"a {END} b") == 3
    done = engine.write_on(f"a {END} b", decoding(Inference.GREEDY))
    assert done.text == engine.write_on("a <unk-> b", decoding(Inference.GREEDY)).text


def test_a_chat_template_is_put_around_a_prompt_and_not_around_a_text(folder: Path, tmp_path: Path) -> None:
    copied = shutil.copytree(folder, tmp_path / "chatty")
    (copied / "chat_template.jinja").write_text("q {{ messages[0].content }} r", encoding="utf-8")
    options = decoding(Inference.GREEDY)
    plain, chatty = TransformersEngine(folder), TransformersEngine(copied).with_decoding(options)
    assert chatty.reply(prompt("a b")).text == plain.write_on("q a b r", options).text
    assert chatty.write_on("a b", options).text == plain.write_on("a b", options).text


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_folder_without_a_model_is_refused_at_once(folder: Path, tmp_path: Path, name: str) -> None:
    copied = shutil.copytree(folder, tmp_path / "copy")
    (copied / name).unlink()
    with pytest.raises(SettingsError, match="contains no model"):
        TransformersEngine(copied)


def test_broken_files_are_named_when_the_model_is_wanted(folder: Path, tmp_path: Path) -> None:
    weights = shutil.copytree(folder, tmp_path / "weights")
    (weights / "model.safetensors").write_bytes(b"x" * 100)
    with pytest.raises(SettingsError, match=r"weights cannot be loaded"):
        TransformersEngine(weights).reply(prompt("a"))
    config = shutil.copytree(folder, tmp_path / "config")
    (config / "config.json").write_text(json.dumps([1]), encoding="utf-8")
    with pytest.raises(SettingsError, match=r"is not the configuration of a model"):
        TransformersEngine(config)


def test_a_reply_is_heard_token_by_token_and_is_the_same(engine: TransformersEngine) -> None:
    heard: list[str] = []
    reply = engine.reply_aloud(prompt(TEXT), heard.append)
    assert reply.text == engine.reply(prompt(TEXT)).text
    assert heard[-1] == reply.text
    assert len(heard) == reply.output_tokens


def test_where_the_best_of_several_is_chosen_nothing_is_heard(engine: TransformersEngine) -> None:
    heard: list[str] = []
    beams = with_decoding(engine, Decoding(inference=Inference.BEAM, beam_size=3))
    assert beams.reply_aloud(prompt(TEXT), heard.append).text == beams.reply(prompt(TEXT)).text
    assert heard == []


def test_nothing_behind_the_stop_is_heard(engine: TransformersEngine) -> None:
    text = engine.reply(prompt(TEXT)).text
    stop = text[-1]
    heard: list[str] = []
    reply = with_decoding(engine, Decoding(stop_token=stop)).reply_aloud(prompt(TEXT), heard.append)
    assert heard[-1] == reply.text == text.partition(stop)[0]


def test_of_several_lines_the_last_is_taken_if_that_is_told_and_lines_are_not_allowed(folder: Path) -> None:
    def written(**lines: bool) -> str:
        options = Decoding(beam_max_length=12, stop_token="", **lines)
        model = TransformersEngine(folder)._loaded()
        model._text = lambda ids: "a: one\nb: two\n"
        return model.generate(TEXT, options).text

    assert written() == "a: one\nb: two\n"
    assert written(generation_take_last_newline=True) == "b: two"
    assert written(generation_take_last_newline=True, generation_allow_newline=True) == "a: one\nb: two\n"


def test_a_context_longer_than_the_prompt_cannot_be_told(engine: TransformersEngine) -> None:
    full = Decoding(beam_context_block_ngram=2, beam_block_full_context=True)
    with pytest.raises(SettingsError, match="beam_block_full_context does not apply"):
        with_decoding(engine, full)


def shares(schedule: Schedule, ends: list[bool]) -> list[float]:
    """Return the mass for each token, and for the token after the last."""
    return [schedule.share(ends[:n]) for n in range(len(ends) + 1)]


USUAL = Schedule(p=0.9, decay=0.5, bound=0.2)


def test_the_mass_falls_within_a_sentence_and_begins_anew_after_it() -> None:
    ends = [False, False, False, True, False, False]
    assert shares(USUAL, ends) == [0.9, 0.9, 0.45, 0.225, 0.9, 0.9, 0.45]


def test_without_reset_the_mass_goes_on_falling() -> None:
    schedule = Schedule(p=0.8, decay=0.5, bound=0.0, reset=False)
    assert shares(schedule, [True, True, True]) == [0.8, 0.8, 0.4, 0.2]


def test_the_bound_lifts_the_mass_after_the_first_token_also_where_it_was_lower() -> None:
    assert shares(Schedule(p=0.1, decay=0.5, bound=0.3), [False, True]) == [0.1, 0.3, 0.3]


@given(st.lists(st.booleans(), max_size=40), st.floats(0.3, 1.0), st.floats(0.0, 1.0))
def test_the_mass_never_leaves_its_bounds(ends: list[bool], p: float, decay: float) -> None:
    assert all(0.25 <= share <= p for share in shares(Schedule(p, decay, 0.25), ends))


@pytest.mark.parametrize(
    ("token", "is_end"),
    [(".", True), (" ?", True), ("!\n", True), ("...", True), ("。", True), ("a", False), ("", False)],
)
def test_a_token_ends_a_sentence_where_it_ends_in_such_a_mark(token: str, is_end: bool) -> None:
    assert ends_sentence(token) is is_end
