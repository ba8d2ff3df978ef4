"""`investigator module MODULE`: one module of BlenderBot 3 by itself, with its exact prompt."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from investigator.cli.ask_options import Model, Overrides, PromptsFolder, SettingsFile
from investigator.cli.chosen_settings import chosen_settings
from investigator.errors import DialogueError, SettingsError

if TYPE_CHECKING:
    from investigator.bb3.decoding_options import ModuleOptions
    from investigator.bb3.exchange import ModuleReply, ModuleRequest

_LONGEST = 2_000_000


class Form(StrEnum):
    """The forms of prompts: for today's models, for BB3's 3B model, and for its 30B and 175B models."""

    CHAT = "chat"
    TOKENS = "tokens"
    PREFIXES = "prefixes"


def module(
    click: typer.Context,
    name: Annotated[str, typer.Argument(metavar="MODULE", help="sdm, mdm, sgm, mgm, ckm, mkm, skm, srm, vrm …")],
    context: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The conversation, a turn a line; - or nothing: the input."),
    ] = None,
    form: Annotated[Form, typer.Option(help="The form of the prompt.")] = Form.CHAT,
    show_prompt: Annotated[bool, typer.Option("--show-prompt", help="Print the prompt and ask no model.")] = False,
    completions: Annotated[
        str, typer.Option(metavar="URL", help="A completions server, which answers the forms tokens and prefixes.")
    ] = "",
    model: Model = None,
    prompts: PromptsFolder = None,
    settings: SettingsFile = None,
    overrides: Overrides = None,
) -> None:
    """Ask one module by itself, or see what it would be asked.

    The context may hold `Person 1: …`, `Person 2: …`, `Person 1's Persona: …`, `External Knowledge: Title | text`,
    `Previous Topic: …`, `Personal Fact: …` and `Interesting Fact: …`; lines without a name alternate.
    """
    from investigator.bb3.context_file import request_of
    from investigator.bb3.decoding_options import module_options
    from investigator.bb3.module_table import Weights
    from investigator.cli.module_arguments import module_arguments
    from investigator.records import Module

    if name.lower() not in set(Module):
        raise SettingsError(f"there is no module {name!r}", hint=f"The modules are {', '.join(Module)}.")
    asked = Module(name.lower())
    told = module_arguments(click.args)
    options = module_options(told.options, Weights.SMALL if form is Form.TOKENS else Weights.LARGE)[asked]
    request = request_of(asked, _context(context))
    if form is not Form.CHAT:
        _by_text(request, options, form, show_prompt, completions)
        return
    named = model[-1].rpartition("=")[2] if model else None
    chosen = told.models.get(asked, named)
    _by_chat(request, chosen, show_prompt, prompts, chosen_settings(settings, overrides or ()))


def _by_chat(request: ModuleRequest, model: str | None, show: bool, prompts: Path | None, settings: object) -> None:
    from investigator.bb3.chat_form import ChatForm, chat_prompt
    from investigator.chats import module_desk
    from investigator.prompts import Prompts
    from investigator.settings import Settings

    assert isinstance(settings, Settings)
    if show:
        typer.echo(chat_prompt(request, Prompts(prompts)))
        return
    desk = module_desk(model, settings, prompts)
    (reply,) = ChatForm(lambda _: desk).ask([request])
    _print(reply)


def _by_text(request: ModuleRequest, options: ModuleOptions, form: Form, show: bool, server: str) -> None:
    from investigator.bb3.completions_writer import CompletionsWriter
    from investigator.bb3.text_forms import PrefixForm, TokenForm, prefix_text
    from investigator.bb3.token_form import token_prompt

    if show or not server:
        typer.echo(token_prompt(request) if form is Form.TOKENS else prefix_text(request, options.prompt))
        if not show:
            typer.echo("note: no model was asked; name a server with --completions URL", err=True)
        return
    writer = CompletionsWriter(server, lambda _: options.decoding)
    made = TokenForm(writer) if form is Form.TOKENS else PrefixForm(writer, lambda _: options.prompt)
    (reply,) = made.ask([request])
    _print(reply)


def _print(reply: ModuleReply) -> None:
    from investigator.reports.inert import inert

    if reply.failed and not reply.text:
        raise DialogueError("the module gave no reply that could be read", hint="Try another model, or --show-prompt.")
    typer.echo(inert(reply.text))
    for quote in reply.quotes:
        typer.echo(f"quote: {inert(quote.text)} ({inert(quote.place)})", err=True)


def _context(path: Path | None) -> str:
    """The text of the context. Raises DialogueError where it cannot be read."""
    if path is None or str(path) == "-":
        return sys.stdin.read(_LONGEST)
    try:
        with path.expanduser().open(encoding="utf-8-sig", newline=None) as file:
            return file.read(_LONGEST)
    except (OSError, UnicodeDecodeError) as error:
        raise DialogueError(f"{path} cannot be read: {error}", hint="Name a text file in UTF-8.") from error
