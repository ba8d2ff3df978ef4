"""`investigator dialogue module MODULE`: asks a single module of BlenderBot 3, or shows its exact prompt."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from investigator.asking.prompts import Prompts
from investigator.bb3.chats import module_form
from investigator.bb3.context_file import request_of
from investigator.bb3.decoding.applied import LINES, not_followed
from investigator.bb3.decoding.options import ModuleArguments, module_arguments, module_options, must_come_first
from investigator.bb3.exchange import ModuleRequest, Modules
from investigator.bb3.folder_chat import LONGEST_TURN
from investigator.bb3.forms.chat_form import chat_prompt
from investigator.bb3.forms.prefix_form import prefix_prompt
from investigator.bb3.forms.text_forms import PrefixForm, TokenForm, Writer
from investigator.bb3.forms.token_form import token_documents, token_prompt
from investigator.bb3.forms.writers import CompletionsWriter, LocalWriter
from investigator.bb3.module_table import Weights
from investigator.bb3.records import CONTRACTS, Module
from investigator.cli.options import Model, PromptsFolder, SettingsOptions
from investigator.cli.output import note, print_plain, tell
from investigator.engines.catalogue import EXTRACTIVE, parse_model_options
from investigator.engines.roles import Role
from investigator.errors import DialogueError, EngineError, SettingsError, in_words
from investigator.records.decoding import Decoding
from investigator.settings import Settings

_LONGEST = 2_000_000  # maximum number of bytes of a context
_PREFIXES = (
    *("Person 1", "Person 2", "Person 1's Persona", "Person 2's Persona", "External Knowledge", "Previous Topic"),
    *("Personal Fact", "Interesting Fact"),
)
_NEAR = 0.8
_HINT = "Give the conversation, one turn per line, e.g. Person 1: Hello"


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
    arguments = module_arguments(click.args, own=[option for each in click.command.params for option in each.opts])
    chosen = settings.load()
    request = request_of(Module(name.lower()), _context(context))
    _check(request)
    engine = arguments.models.get(request.module) or parse_model_options(model or []).name_for(Role.CHAT)
    if form is not Form.CHAT:
        _by_text(request, arguments, form, engine, completions, show_prompt, prompts, chosen)
    elif about := arguments.about_prompts:
        note(f"ignored with the chat prompt format: {', '.join(about)}")
    if form is Form.CHAT and show_prompt:
        print_plain(chat_prompt(request, Prompts(prompts, CONTRACTS)))
    elif form is Form.CHAT:
        decodings = {name: each for name, each in arguments.decodings.items() if name is request.module}
        _print(module_form(engine, chosen, prompts, decodings=decodings, on_notice=note), request)


def _by_text(
    request: ModuleRequest,
    arguments: ModuleArguments,
    form: Form,
    engine: str,
    server: str,
    show: bool,
    prompts: Path | None,
    settings: Settings,
) -> None:
    if server and engine != EXTRACTIVE:
        problem = f"two models were given: {engine} and the server at {server}"
        raise SettingsError(problem, hint="Choose one of them.")
    is_tokens = form is Form.TOKENS
    options = module_options(arguments.options, Weights.SMALL if is_tokens else Weights.LARGE)[request.module]
    prompt = token_prompt(request) if is_tokens else prefix_prompt(request, options.prompt, folder=prompts)
    for text in token_documents(request, prompt) if is_tokens else ():
        note(f"with this prompt format, the model also reads the following text, separately: {text}")
    if show or not (server or engine != EXTRACTIVE):
        print_plain(prompt)
        if not show:
            note("no model was given: choose one with --model transformers:FOLDER or --completions URL")
        return
    writer: Writer
    if server:
        decoding = arguments.decodings.get(request.module, Decoding())
        lines = decoding.model_dump(exclude_unset=True, include=set(LINES)) if is_tokens else {}
        if left := [f"{name} {value}" for name, value in {**not_followed("completions", decoding), **lines}.items()]:
            note(f"the completions server does not support these options: {', '.join(left)}")
        key = settings.chat.api_key.get_secret_value() if settings.chat.api_key else ""
        writer = CompletionsWriter(server, lambda _: options.decoding, api_key=key)
    else:
        writer = LocalWriter(engine, lambda _: options.decoding, settings.transformers)
    by_prefixes = PrefixForm(writer, lambda _: options.prompt, lambda _: options.decoding, prompts)
    _print(TokenForm(writer, in_one_text=True) if is_tokens else by_prefixes, request)


def _print(form: Modules, request: ModuleRequest) -> None:
    (reply,) = form.ask([request])
    if reply.failed:
        text = f"; it said {reply.text!r}" if reply.text else ""
        problem = reply.problem or f"the module returned no usable reply{text}"
        raise EngineError(problem, hint="Try again or use another model; --show-prompt shows the prompt.")
    print_plain(reply.text)
    if not reply.text:
        note("the module returned an empty reply")
    for quote in reply.quotes:
        tell(f"quote: {quote.text} ({quote.place})")


def _context(path: Path | None) -> str:
    """Return the text of a file, or of standard input if it is None or `-`; lines whose prefix looks misspelled are
    reported. Raises DialogueError if the text cannot be read, or is no text.
    """
    is_input = path is None or str(path) == "-"
    shown = "the input" if is_input else str(path)
    try:
        with nullcontext(sys.stdin.buffer) if path is None or is_input else path.expanduser().open("rb") as file:
            content = file.read(_LONGEST + 1)
            text = content.decode("utf-8-sig", "ignore" if len(content) > _LONGEST else "strict")
    except (OSError, UnicodeDecodeError) as error:
        problem = f"{shown} cannot be read: {in_words(error)}"
        raise DialogueError(problem, hint="Choose a text file in UTF-8.") from error
    long, blank = len(content) > _LONGEST, not text.strip()
    if long or blank or "\0" in text:
        contents = f"more than {_LONGEST:,} bytes" if long else "nothing" if blank else "no text"
        raise DialogueError(f"{shown} contains {contents}", hint=_HINT)
    for number, line in enumerate(text.splitlines(), 1):
        prefix, colon, _ = line.partition(":")
        name = prefix.strip()
        near = get_close_matches(name, _PREFIXES, n=1, cutoff=_NEAR) if colon else []
        if near and name.lower() != near[0].lower():
            note(f"line {number} of {shown} is read as a turn; did you mean {near[0]}: instead of {name}:?")
    return text


def _check(request: ModuleRequest) -> None:
    """Raise DialogueError if the context lacks a turn, which all modules but orm need, or a turn is too long."""
    if not request.turns and request.module is not Module.ORM:
        raise DialogueError("the module needs a turn, but the context has none", hint=_HINT)
    longest = max((len(turn.text) for turn in request.turns), default=0)
    if longest > LONGEST_TURN:
        problem = f"a turn in the context has {longest:,} characters; the limit is {LONGEST_TURN:,}"
        raise DialogueError(problem, hint="Write long text as a document: External Knowledge: Title | text")
