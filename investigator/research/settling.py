"""Answers two kinds of questions directly from the documents, not from findings: questions about contradictions, and
questions about a property of a document. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from investigator.evidence.own_statements import own_statement
from investigator.evidence.standing import Reread, recheck
from investigator.language.normalise import one_line
from investigator.questions.own_properties import OwnProperty, asked_property
from investigator.records import AnswerStatus, Claim, Conflict, Investigation, Memory, QuestionKind
from investigator.research.contradicting import compared
from investigator.research.verdict import Verdict, number_of, what_proves
from investigator.retrieval.library import DocumentIndex

_THIS = "this document"


class Settled(NamedTuple):
    """A verdict, the conflicts between statements, and the documents that no longer contain their quotes."""

    verdict: Verdict
    conflicts: tuple[Conflict, ...] = ()
    gone: tuple[str, ...] = ()


def settled(
    usual: Verdict, run: Investigation, history: Sequence[Memory], library: DocumentIndex, reread: Reread | None
) -> Settled:
    """Return the verdict on contradictions, or on a property of a document; for other questions, return the usual
    verdict. The verdict's quotes are looked up in the files.
    """
    conflicts: tuple[Conflict, ...] = ()
    if run.kind is QuestionKind.CONTRADICTION:
        found, conflicts = compared(usual, run, history, library)
    else:
        found = self_described(usual, run, library)
    if found is usual:
        return Settled(usual)
    checked = recheck(found.claims, run.question, reread)
    return Settled(replace(found, claims=checked.claims), conflicts, checked.gone)


def self_described(usual: Verdict, run: Investigation, library: DocumentIndex) -> Verdict:
    """Return the verdict on a question about "this document" or a document that it names; for other questions, return
    the usual verdict.

    A question that only names a property ("Author?") is about the document if nothing else answers it.
    """
    names = run.scope or library.document_ids()
    named = [name for name in names if PurePosixPath(name).name.casefold() in run.question.casefold()]
    if len(named or names) != 1:
        return usual
    (name,) = named or names
    question = _about_this(run.question, name) if named else run.question
    is_open = usual.status is not AnswerStatus.ANSWERED
    wanted = asked_property(question, alone=is_open)
    if wanted is None:
        return usual
    document = library.document(name)
    quote = own_statement(wanted, document)
    if quote is not None:
        claims = (Claim(text=one_line(quote.text), quotes=(quote,)),)
        return Verdict(AnswerStatus.ANSWERED, claims, usual.unproven, reason=what_proves(claims))
    if wanted is OwnProperty.PAGES and document.pages:
        reason = f"The file has {number_of(len(document.pages), 'page')}; its text does not say how many."
        return Verdict(AnswerStatus.NOT_FOUND, unproven=usual.unproven, reason=reason)
    return usual


def _about_this(question: str, name: str) -> str:
    """Return a question with "this document" in place of the name of a file."""
    file = PurePosixPath(name).name
    at = question.casefold().index(file.casefold())
    start = at - len(name) + len(file) if question[: at + len(file)].endswith(name) else at
    return f"{question[:start]}{_THIS}{question[at + len(file) :]}".replace(f"{_THIS} {_THIS}", _THIS)
