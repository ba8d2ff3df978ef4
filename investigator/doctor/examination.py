"""Examines one engine: asks it one tiny example for each of its roles, and judges the replies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic_core import from_json

from investigator.asking.prompts import Prompts
from investigator.asking.replies import read_reply
from investigator.bb3.records import CONTRACTS, Module, PhraseReply
from investigator.doctor.findings import EngineFinding, RoleFinding, RoleGrade, RoleState, StructuredOutput
from investigator.doctor.grading import foreseen_cost, graded
from investigator.engines.base import Engine, traits_of
from investigator.engines.chat.engine import ChatEngine, Feature
from investigator.engines.gguf.engine import GgufEngine
from investigator.engines.grades import GRADED
from investigator.engines.http import LOOPBACK
from investigator.engines.recorded import RecordedEngine
from investigator.engines.roles import Role
from investigator.errors import InvestigatorError, ReplyError
from investigator.records import AnswerReply, AskReply, CheckReply, FinishReason, PlanReply, Prompt, Record, Reply
from investigator.resources import data_text
from investigator.scoring.prices import Prices

SENDS: Mapping[Role, str] = {
    Role.PLAN: "the question, document titles, the beginnings of passages, and the replies so far",
    Role.ASK: "questions, and passages of the documents",
    Role.REFLECT: "questions, and the replies so far",
    Role.ANSWER: "the question, quotes from the documents with the text around them, and the replies so far",
    Role.CHECK: "the question, the answer, and its quotes with the text around them",
    Role.CHAT: "the conversation, its memories, and passages of the documents",
}
"""The data that an investigation or conversation sends to the engine of a role."""

_TEMPLATES: Mapping[Role, str] = {
    Role.PLAN: "planner/plan",
    Role.ASK: "query/ask",
    Role.REFLECT: "reflection/reflect",
    Role.ANSWER: "answer/answer",
    Role.CHECK: "answer/check",
    Role.CHAT: Module.SGM.template,
}
# in data/doctor_examples.json
_DOCUMENT, _OTHER_DOCUMENT, _EVIDENCE = "lease.txt", "lighthouse.txt", "E1"
_TEXT = "The annual rent of the boathouse is EUR 4,800. It is payable on 1 March."
_OTHER_MODEL = "Choose another model for this role, or use none: --model {role}=extractive"


class Examined(Record):
    """The findings about an engine in its roles."""

    engine: EngineFinding
    roles: tuple[RoleFinding, ...]
    grades: tuple[RoleGrade, ...] = ()


@dataclass(frozen=True)
class Examiner:
    """Opens engines and tries them. `on_call` is called before each call to a language model, and with the foreseen
    cost of grading; `clock` returns seconds.
    """

    prompts: Prompts
    prices: Prices
    on_call: Callable[[str], None]
    clock: Callable[[], float]

    def examined(self, name: str, opening: Callable[[], Engine], roles: Sequence[Role], *, grade: bool) -> Examined:
        """Try an engine in its roles until a call fails, and grade it if it is a language model that works. An
        InvestigatorError of `opening` or of the engine becomes a finding.
        """
        try:
            engine = opening()
        except InvestigatorError as error:
            return Examined(engine=EngineFinding(name=name), roles=tuple(_failed(role, name, error) for role in roles))
        replays = isinstance(engine, RecordedEngine)
        is_schema_sent = isinstance(engine, ChatEngine) and engine.reply_format is not None
        findings, are_of_form, failure = list[RoleFinding](), list[bool](), None
        for role in roles:
            if replays:
                remark = "a recording contains replies only to its own prompts"
                findings.append(_finding(role, engine.name, RoleState.NOT_ASKED, remark))
                continue
            prompt = self.prompts.prompt(_TEMPLATES[role], _example(role))
            try:
                reply = self._reply(engine, role, prompt) if failure is None else None
            except InvestigatorError as error:
                reply, failure = None, error
            if reply is None and failure is not None:
                findings.append(_failed(role, engine.name, failure))
            elif reply is not None:
                findings.append(_judged(role, engine.name, prompt, reply))
                are_of_form.append(_is_of_form(reply, prompt))
        structured = _structured_output(engine, are_of_form, is_schema_sent=is_schema_sent)
        is_graded = grade and failure is None and not replays and not traits_of(engine).goes_by_measures
        return Examined(
            engine=self._described(engine, structured),
            roles=tuple(findings),
            grades=self._grades(engine, [role for role in GRADED if role in roles]) if is_graded else (),
        )

    def _reply(self, engine: Engine, role: Role, prompt: Prompt) -> Reply:
        if traits_of(engine).is_model:
            self.on_call(f"asking {engine.name} ({role})")
        began = self.clock()
        reply = engine.reply(prompt)
        return reply.changed(seconds=reply.seconds or self.clock() - began)

    def _grades(self, engine: Engine, roles: Sequence[Role]) -> tuple[RoleGrade, ...]:
        if roles:
            self.on_call(foreseen_cost(engine, roles, self.prompts, self.prices.price_of(engine.name)))
        return tuple(graded(engine, role, self.prompts, self.prices) for role in roles)

    def _described(self, engine: Engine, structured_output: StructuredOutput) -> EngineFinding:
        endpoint = engine.endpoint if isinstance(engine, ChatEngine) else ""
        traits = traits_of(engine)
        return EngineFinding(
            name=engine.name,
            endpoint=endpoint,
            leaves_machine=bool(endpoint) and urlsplit(endpoint).hostname not in LOOPBACK,
            is_model=traits.is_model,
            structured_output=structured_output,
            context_tokens=traits.context_tokens,
            price=self.prices.price_of(engine.name),
        )


def _example(role: Role) -> Record:
    """Return the variables of a role's example; `ask` gets one document that answers, and one that does not."""
    return CONTRACTS[_TEMPLATES[role]].variables.model_validate(json.loads(data_text("doctor_examples.json"))[role])


def _finding(role: Role, engine: str, state: RoleState, remark: str = "", hint: str = "") -> RoleFinding:
    return RoleFinding(role=role, engine=engine, sends=SENDS[role], state=state, remark=remark, hint=hint)


def _failed(role: Role, engine: str, error: InvestigatorError) -> RoleFinding:
    return _finding(role, engine, RoleState.FAILED, error.message, error.hint)


def _judged(role: Role, engine: str, prompt: Prompt, reply: Reply) -> RoleFinding:
    """Return the finding about a reply: whether it can be read, and whether it is sensible."""
    try:
        remark = _doubt(read_reply(reply.text, prompt.reply_type))
        state = RoleState.DOUBTFUL if remark else RoleState.WORKS
    except ReplyError as error:
        state, remark = RoleState.FAILED, f"its reply cannot be read: {error.message}"
    hint = _OTHER_MODEL.format(role=role) if remark else ""
    return _finding(role, engine, state, remark, hint).changed(
        seconds=round(reply.seconds, 3), calls=1, input_tokens=reply.input_tokens, output_tokens=reply.output_tokens
    )


def _doubt(reply: Record) -> str:
    """Return what is not sensible about the reply to an example, or ""."""
    match reply:
        case PlanReply(steps=steps) if _DOCUMENT not in {step.document_id for step in steps}:
            return "its plan leaves out the only document"
        case AskReply():
            return _doubt_about_readings(reply)
        case AnswerReply(lead=lead, details=details):
            cited = {name for statement in (lead, *details) if statement is not None for name in statement.evidence}
            return "" if _EVIDENCE in cited else "its answer is not based on the given evidence"
        case CheckReply(statements=()):
            return "it checks no statement"
        case PhraseReply(text=""):
            return "it does not know what to search for"
    return ""


def _doubt_about_readings(reply: AskReply) -> str:
    readings = {reading.document: reading for reading in reply.readings}
    # a document that is left out says nothing
    points = [readings[name].point if name in readings else 0 for name in (_DOCUMENT, _OTHER_DOCUMENT)]
    with_answer, without = points
    if with_answer is None or without is None:
        return "it gives no score"
    if with_answer <= without:
        return f"it gives {with_answer} points to a passage with the answer, and {without} to one without it"
    if not any(quote and quote in _TEXT for quote in readings[_DOCUMENT].quotes):
        return "its quotes are not in the passage"
    return ""


def _structured_output(engine: Engine, are_of_form: Sequence[bool], *, is_schema_sent: bool) -> StructuredOutput:
    if not isinstance(engine, ChatEngine | GgufEngine):
        return StructuredOutput.NOT_NEEDED
    if isinstance(engine, ChatEngine) and not is_schema_sent:
        return StructuredOutput.NOT_OFFERED
    if not are_of_form:
        return StructuredOutput.UNKNOWN
    if isinstance(engine, ChatEngine) and engine.reply_format is not Feature.JSON_SCHEMA:
        return StructuredOutput.TOOL_CALL if engine.reply_format is Feature.TOOLS else StructuredOutput.REFUSED
    return StructuredOutput.WORKS if all(are_of_form) else StructuredOutput.IGNORED


def _is_of_form(reply: Reply, prompt: Prompt) -> bool:
    """Return True if a reply is nothing but JSON with all fields; of a truncated reply, the beginning is checked."""
    is_cut = reply.finish_reason is FinishReason.LENGTH
    try:
        given = from_json(reply.text, allow_partial=is_cut)
    except ValueError:
        return False
    fields = prompt.reply_type.model_fields.keys()
    return isinstance(given, dict) and (bool(given) and given.keys() <= fields if is_cut else given.keys() == fields)
