"""Examines engines: asks each a tiny example for each of its roles, judges the replies, and has models graded."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic_core import from_json

from investigator.asking.replies import read_reply
from investigator.bb3.records import CONTRACTS, Module, PhraseReply
from investigator.doctor.findings import EngineFinding, RoleFinding, RoleGrade, RoleState, StructuredOutput
from investigator.doctor.grading import TEMPLATES, foreseen_cost, graded
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
from investigator.services.parts import Parts

_SENDS: Mapping[Role, str] = {
    Role.PLAN: "the question, document titles, the beginnings of passages, and the replies so far",
    Role.ASK: "questions, and passages of the documents",
    Role.REFLECT: "questions, and the replies so far",
    Role.ANSWER: "the question, quotes from the documents with the text around them, and the replies so far",
    Role.CHECK: "the question, the answer, and its quotes with the text around them",
    Role.CHAT: "the conversation, its memories, and passages of the documents",
}
_TEMPLATES = {
    **TEMPLATES,
    Role.PLAN: "planner/plan",
    Role.REFLECT: "reflection/reflect",
    Role.CHAT: Module.SGM.template,
}
# in data/doctor_examples.json; `ask` gets one document that answers, and one that does not
_DOCUMENT, _OTHER_DOCUMENT, _EVIDENCE = "lease.txt", "lighthouse.txt", "E1"
_TEXT = "The annual rent of the boathouse is EUR 4,800. It is payable on 1 March."
_OTHER_MODEL = "Choose another model for this role, or use none: --model {role}=extractive"


@dataclass
class Examination:
    """Opens engines and tries them, and collects the findings. `on_call` is called before each call to a language
    model, and with the foreseen cost of grading.
    """

    parts: Parts
    on_call: Callable[[str], None]
    roles: dict[Role, RoleFinding] = field(default_factory=dict)
    engines: dict[str, EngineFinding] = field(default_factory=dict)
    grades: list[RoleGrade] = field(default_factory=list)

    def examine(self, name: str, roles: Sequence[Role], *, grade: bool) -> None:
        """Try an engine in its roles until a call fails, and grade a model that works; errors become findings."""
        try:
            engine = self.parts.engine(name, attempts=1)
        except InvestigatorError as error:
            self.engines[name] = EngineFinding(name=name)
            self.roles |= {role: _failed(role, name, error) for role in roles}
            return
        is_schema_sent = isinstance(engine, ChatEngine) and engine.reply_format is not None
        are_of_form, failure = list[bool](), None
        for role in roles:
            if isinstance(engine, RecordedEngine):
                remark = "a recording contains replies only to its own prompts"
                self.roles[role] = _finding(role, engine.name, RoleState.NOT_ASKED, remark)
                continue
            if failure is None:
                try:
                    are_of_form.append(self._replies_in_form(engine, role))
                except InvestigatorError as error:
                    failure = error
            if failure is not None:
                self.roles[role] = _failed(role, engine.name, failure)
        self.engines[engine.name] = self._described(engine, are_of_form, is_schema_sent=is_schema_sent)
        graded_roles = [role for role in GRADED if role in roles]
        if grade and are_of_form and failure is None and graded_roles and not traits_of(engine).goes_by_measures:
            prompts, prices = self.parts.prompts, self.parts.prices
            self.on_call(foreseen_cost(engine, graded_roles, prompts, prices.price_of(engine.name)))
            self.grades += [graded(engine, role, prompts, prices) for role in graded_roles]

    def _replies_in_form(self, engine: Engine, role: Role) -> bool:
        if traits_of(engine).is_model:
            self.on_call(f"asking {engine.name} ({role})")
        variables = json.loads(data_text("doctor_examples.json"))[role]
        template = _TEMPLATES[role]
        prompt = self.parts.prompts.prompt(template, CONTRACTS[template].variables.model_validate(variables))
        began = time.monotonic()
        reply = engine.reply(prompt)
        seconds = reply.seconds or time.monotonic() - began
        try:
            remark = _doubt(read_reply(reply.text, prompt.reply_type))
            state = RoleState.DOUBTFUL if remark else RoleState.WORKS
        except ReplyError as error:
            state, remark = RoleState.FAILED, f"its reply cannot be read: {error.message}"
        hint = _OTHER_MODEL.format(role=role) if remark else ""
        used = {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens, "calls": 1}
        finding = _finding(role, engine.name, state, remark, hint)
        self.roles[role] = finding.changed(seconds=round(seconds, 3), **used)
        return _is_of_form(reply, prompt)

    def _described(self, engine: Engine, are_of_form: Sequence[bool], *, is_schema_sent: bool) -> EngineFinding:
        endpoint = engine.endpoint if isinstance(engine, ChatEngine) else ""
        traits = traits_of(engine)
        return EngineFinding(
            name=engine.name,
            endpoint=endpoint,
            leaves_machine=bool(endpoint) and urlsplit(endpoint).hostname not in LOOPBACK,
            is_model=traits.is_model,
            structured_output=_structured_output(engine, are_of_form, is_schema_sent=is_schema_sent),
            context_tokens=traits.context_tokens,
            price=self.parts.prices.price_of(engine.name),
        )


def _finding(role: Role, engine: str, state: RoleState, remark: str = "", hint: str = "") -> RoleFinding:
    return RoleFinding(role=role, engine=engine, sends=_SENDS[role], state=state, remark=remark, hint=hint)


def _failed(role: Role, engine: str, error: InvestigatorError) -> RoleFinding:
    return _finding(role, engine, RoleState.FAILED, error.message, error.hint)


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
    is_quoted = any(quote and quote in _TEXT for quote in readings[_DOCUMENT].quotes)
    return "" if is_quoted else "its quotes are not in the passage"


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
