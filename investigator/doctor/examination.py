"""Examines one engine: asks it tiny examples and judges its replies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from urllib.parse import urlsplit

from pydantic import ValidationError
from pydantic_core import from_json

from investigator.asking.prompts import Prompts
from investigator.asking.replies import read_reply
from investigator.doctor.examples import SENDS, doubt, examples
from investigator.doctor.findings import EngineFinding, RoleFinding, RoleGrade, RoleState, StructuredOutput
from investigator.doctor.grading import foreseen_cost, graded
from investigator.engines.base import Engine, traits_of
from investigator.engines.chat.engine import ChatEngine
from investigator.engines.chat.refusals import Feature
from investigator.engines.gguf.engine import GgufEngine
from investigator.engines.http import LOOPBACK
from investigator.engines.recorded import RecordedEngine
from investigator.engines.roles import Role
from investigator.errors import InvestigatorError, ReplyError
from investigator.records import FinishReason, Prompt, Reply
from investigator.scoring.prices import Prices

_ONLY_ITS_OWN = "a recording contains replies only to its own prompts"
_OTHER_MODEL = "Choose another model for this role, or use none: --model {role}=extractive"


class Examination:
    """Opens an engine and tests it, role by role; after a failed call, the engine is not called again.

    If `opening` raises an InvestigatorError, the error becomes a finding; `on_call` is called before each call to a
    language model.
    """

    def __init__(
        self,
        name: str,
        opening: Callable[[], Engine],
        prompts: Prompts,
        on_call: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self._name = name
        self._on_call = on_call
        self._clock = clock
        self._prompts = prompts
        self._engine: Engine | None = None
        self._failure: InvestigatorError | None = None
        self._schema_asked = False
        self._answers = 0
        self._all_of_form = True
        try:
            self._engine = opening()
        except InvestigatorError as error:
            self._failure = error
        else:
            self._name = self._engine.name
            self._schema_asked = _format_of(self._engine) is not None

    def in_role(self, role: Role) -> RoleFinding:
        """Test the engine in a role, and return the result."""
        blank = RoleFinding(role=role, engine=self._name, sends=SENDS[role], state=RoleState.FAILED)
        if isinstance(self._engine, RecordedEngine):
            return blank.changed(state=RoleState.NOT_ASKED, remark=_ONLY_ITS_OWN)
        template, examples_of_role = examples()[role]
        prompts = [self._prompts.prompt(template, variables) for variables in examples_of_role]
        replies: list[Reply] = []
        for prompt in prompts:
            if self._engine is not None and self._failure is None:
                self._ask(self._engine, role, prompt, replies)
        judged = self._judged(blank, prompts, replies)
        return judged.changed(
            seconds=round(replies[-1].seconds, 3) if replies else None,
            calls=len(replies),
            input_tokens=sum(reply.input_tokens for reply in replies),
            output_tokens=sum(reply.output_tokens for reply in replies),
        )

    def grades(self, roles: Sequence[Role], prices: Prices) -> Iterator[RoleGrade]:
        """Yield the grades of a language model in these roles, after saying what they cost; call `in_role` first.

        An engine that does not read, that only replays, or that failed is not graded.
        """
        engine = self._engine
        if engine is None or self._failure is not None or not roles:
            return
        if isinstance(engine, RecordedEngine) or traits_of(engine).goes_by_measures:
            return
        self._on_call(foreseen_cost(engine, roles, self._prompts, prices.price_of(engine.name)))
        for role in roles:
            yield graded(engine, role, self._prompts, prices)

    def finding(self, prices: Prices) -> EngineFinding:
        """Return the findings about the engine; call `in_role` first."""
        engine = self._engine
        if engine is None:
            return EngineFinding(name=self._name)
        endpoint = engine.endpoint if isinstance(engine, ChatEngine) else ""
        traits = traits_of(engine)
        return EngineFinding(
            name=engine.name,
            endpoint=endpoint,
            leaves_machine=bool(endpoint) and urlsplit(endpoint).hostname not in LOOPBACK,
            is_model=traits.is_model,
            structured_output=self._structured_output(engine),
            context_tokens=traits.context_tokens,
            price=prices.price_of(engine.name),
        )

    def _ask(self, engine: Engine, role: Role, prompt: Prompt, replies: list[Reply]) -> None:
        if traits_of(engine).is_model:
            self._on_call(f"asking {engine.name} ({role})")
        began = self._clock()
        try:
            reply = engine.reply(prompt)
        except InvestigatorError as error:
            self._failure = error
            return
        self._answers += 1
        self._all_of_form &= _is_of_form(reply, prompt)
        replies.append(reply.changed(seconds=reply.seconds or self._clock() - began))

    def _judged(self, blank: RoleFinding, prompts: Sequence[Prompt], replies: Sequence[Reply]) -> RoleFinding:
        if self._failure is not None:
            return blank.changed(remark=self._failure.message, hint=self._failure.hint)
        try:
            read = [read_reply(reply.text, prompt.reply_type) for prompt, reply in zip(prompts, replies, strict=True)]
        except ReplyError as error:
            remark = f"its reply cannot be read: {error.message}"
            return blank.changed(remark=remark, hint=_OTHER_MODEL.format(role=blank.role))
        doubts = doubt(read)
        hint = _OTHER_MODEL.format(role=blank.role) if doubts else ""
        state = RoleState.DOUBTFUL if doubts else RoleState.WORKS
        return blank.changed(state=state, remark=doubts, hint=hint)

    def _structured_output(self, engine: Engine) -> StructuredOutput:
        if not isinstance(engine, ChatEngine | GgufEngine):
            return StructuredOutput.NOT_NEEDED
        if isinstance(engine, ChatEngine) and not self._schema_asked:
            return StructuredOutput.NOT_OFFERED
        if not self._answers:
            return StructuredOutput.UNKNOWN
        if isinstance(engine, ChatEngine) and engine.reply_format is not Feature.JSON_SCHEMA:
            is_tool = engine.reply_format is Feature.TOOLS
            return StructuredOutput.TOOL_CALL if is_tool else StructuredOutput.REFUSED
        return StructuredOutput.WORKS if self._all_of_form else StructuredOutput.IGNORED


def _format_of(engine: Engine) -> Feature | None:
    return engine.reply_format if isinstance(engine, ChatEngine) else None


def _is_of_form(reply: Reply, prompt: Prompt) -> bool:
    """Return True if a reply is pure JSON with all fields of the right types; only the beginning of a truncated reply
    is checked.
    """
    if reply.finish_reason is FinishReason.LENGTH:
        return _begins_in_form(reply.text, frozenset(prompt.reply_type.model_fields))
    try:
        read = prompt.reply_type.model_validate_json(reply.text)
    except ValidationError:
        return False
    return read.model_fields_set == set(prompt.reply_type.model_fields)


def _begins_in_form(text: str, fields: frozenset[str]) -> bool:
    try:
        begun = from_json(text, allow_partial=True)
    except ValueError:
        return False
    return isinstance(begun, dict) and bool(begun) and fields.issuperset(begun)
