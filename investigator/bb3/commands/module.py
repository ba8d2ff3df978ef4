"""`investigator module MODULE`: asks a single module of BlenderBot 3, or shows its exact prompt."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from investigator.asking.prompts import Prompts
from investigator.bb3.chats import module_form
from investigator.bb3.commands.module_arguments import ModuleArguments, module_arguments, must_come_first
from investigator.bb3.commands.module_context import check_request, read_context
from investigator.bb3.context_file import request_of
from investigator.bb3.decoding.options import module_options
from investigator.bb3.decoding.told import LINES, EngineKind, not_followed
from investigator.bb3.exchange import ModuleReply, ModuleRequest
from investigator.bb3.forms.chat_form import chat_prompt
from investigator.bb3.forms.text_forms import PrefixForm, TokenForm, Writer, prefix_text
from investigator.bb3.forms.token_form import token_documents, token_prompt
from investigator.bb3.forms.writers import CompletionsWriter, LocalWriter
from investigator.bb3.module_table import Weights
from investigator.bb3.records import CONTRACTS, Module
from investigator.cli.options import Model, PromptsFolder, SettingsOptions
from investigator.cli.output import note, print_plain, tell
from investigator.engines.catalogue import EXTRACTIVE, parse_model_options
from investigator.engines.roles import Role
from investigator.errors import EngineError, SettingsError
from investigator.records.decoding import Decoding
from investigator.settings import Settings


class Form(StrEnum):
    """The prompt format: for chat models, for BB3's 3B model, or for its 30B and 175B models."""

    CHAT = "chat"
    TOKENS = "tokens"
    PREFIXES = "prefixes"


def module(
    click: typer.Context,
    name: Annotated[str, typer.Argument(metavar="MODULE", help="sdm, mdm, sgm, mgm, ckm, mkm, skm, srm, vrm …")],
    settings: SettingsOptions,
    context: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The conversation, one turn per line; default: standard input."),
    ] = None,
    form: Annotated[Form, typer.Option(help="The prompt format.")] = Form.CHAT,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print the prompt without calling a model.")
    ] = False,
    completions: Annotated[
        str, typer.Option(metavar="URL", help="Completions server for --form tokens and --form prefixes.")
    ] = "",
    model: Model = None,
    prompts: PromptsFolder = None,
) -> None:
    """Ask a single module, or show its prompt.

    The context may contain `Person 1: …`, `Person 2: …`, `Person 1's Persona: …`, `External Knowledge: Title | text`,
    `Previous Topic: …`, `Personal Fact: …` and `Interesting Fact: …`; in lines without a prefix, the speakers
    alternate.

    Module options, which also work in a chat: --sdm-model gguf:FILE sets the engine for one module; --srm-topp 0.8
    applies to one module, --topp 0.8 to all. Decoding: inference, beam_size, beam_min_length, beam_max_length, topk,
    topp, temperature, lambda_decay, omega_bound, p_reset, beam_block_ngram, beam_context_block_ngram,
    beam_block_full_context, penalize_repetitions, penalize_ctxt_repetitions, exclude_knowledge_from_ctxt_penalty,
    generation_take_last_newline, generation_allow_newline, stop_token. Prompts with --form prefixes: include_prompt,
    num_shots, all_vanilla_prompt, max_prompt_len, max_total_len, knowledge_chunk_size, memory_decision_use_memories,
    insert_style, add_speaker_prefixes, self_prefix, partner_prefix, self_memory_prefix, partner_memory_prefix,
    final_prefix, final_prefix_space.
    """
    must_come_first(name, "the module")
    if name.lower() not in set(Module):
        raise SettingsError(f"unknown module {name!r}", hint=f"The modules are {', '.join(Module)}.")
    asked = Module(name.lower())
    told = module_arguments(click.args, own=[option for each in click.command.params for option in each.opts])
    chosen = settings.load()
    request = request_of(asked, read_context(context, note))
    check_request(request)
    if form is Form.CHAT:
        _by_chat(request, told, model or [], show_prompt, prompts, chosen)
    else:
        named = told.models.get(asked) or parse_model_options(model or []).name_for(Role.CHAT)
        _by_text(request, told, form, show_prompt, completions, chosen, named, prompts)


def _by_chat(
    request: ModuleRequest,
    told: ModuleArguments,
    model: list[str],
    show: bool,
    prompts: Path | None,
    settings: Settings,
) -> None:
    if about := told.about_prompts():
        note(f"ignored with the chat prompt format: {', '.join(about)}")
    if show:
        print_plain(chat_prompt(request, Prompts(prompts, CONTRACTS)))
        return
    named = told.models.get(request.module) or parse_model_options(model).name_for(Role.CHAT)
    own = {request.module: told.decodings[request.module]} if request.module in told.decodings else {}
    (reply,) = module_form(named, settings, prompts, decodings=own, on_notice=note).ask([request])
    _print(reply, "")


def _by_text(
    request: ModuleRequest,
    told: ModuleArguments,
    form: Form,
    show: bool,
    server: str,
    settings: Settings,
    model: str,
    prompts: Path | None,
) -> None:
    weights = Weights.SMALL if form is Form.TOKENS else Weights.LARGE
    options = module_options(told.options, weights)[request.module]
    prompt = token_prompt(request) if form is Form.TOKENS else prefix_text(request, options.prompt, None, prompts)
    if form is Form.TOKENS:
        for text in token_documents(request, prompt):
            note(f"with this prompt format, the model also reads the following text, separately: {text}")
    is_local = model != EXTRACTIVE
    if server and is_local:
        raise SettingsError(f"two models were given: {model} and the server at {server}", hint="Choose one of them.")
    if show or not (server or is_local):
        print_plain(prompt)
        if not show:
            note("no model was given: choose one with --model transformers:FOLDER or --completions URL")
        return
    if server and (left := _left_out(told.decodings.get(request.module, Decoding()), form)):
        note(f"the completions server does not support these options: {', '.join(left)}")
    problems: list[str] = []
    key = settings.chat.api_key.get_secret_value() if settings.chat.api_key else ""
    writer: Writer
    if is_local:
        writer = LocalWriter(model, lambda _: options.decoding, settings.transformers, on_failure=problems.append)
    else:
        writer = CompletionsWriter(server, lambda _: options.decoding, api_key=key, on_failure=problems.append)
    by_prefixes = PrefixForm(
        writer, lambda _: options.prompt, decoding=lambda _: options.decoding, instructions=prompts
    )
    made = TokenForm(writer, in_one_text=True) if form is Form.TOKENS else by_prefixes
    (reply,) = made.ask([request])
    _print(reply, next(iter(problems), ""))


def _left_out(told: Decoding, form: Form) -> list[str]:
    """Return the options that a completions server does not support. With the `tokens` form, these include the options
    that select lines.
    """
    left = dict(not_followed(EngineKind.COMPLETIONS, told))
    if form is Form.TOKENS:
        left |= told.model_dump(exclude_unset=True, include=set(LINES))
    return [f"{name} {value}" for name, value in left.items()]


def _print(reply: ModuleReply, problem: str) -> None:
    if reply.failed:
        said = f"; it said {reply.text!r}" if reply.text and not problem else ""
        why = problem or f"the module returned no usable reply{said}"
        raise EngineError(why, hint="Try again or use another model; --show-prompt shows the prompt.")
    print_plain(reply.text)
    if not reply.text:
        note("the module returned an empty reply")
    for quote in reply.quotes:
        tell(f"quote: {quote.text} ({quote.place})")
