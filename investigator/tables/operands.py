"""Finds the two rows whose figures a question asks to add, to subtract, or to set in proportion. Pure."""

from __future__ import annotations

import re

from investigator.language.late_patterns import late
from investigator.language.terms import content_words
from investigator.questions.related import root, roots
from investigator.records import Operation, QuotedCell
from investigator.tables.computing import asked_operation

_TIME = r"(?P<rest>,?\s+(?:in|for|during|at the end of|as of)\s+[^?]*\d[^?]*)?\W*$"
_TOGETHER = r"(?:together|combined|altogether|taken together|added together)"
_VERB = r"(?:was|were|is|are|did|does|do|has|have)"
_SAID = {
    Operation.SUM: (
        rf"\bsum of (?P<one>.+?) and (?P<other>.+?){_TIME}",
        rf"\bhow (?:much|many|high|large) {_VERB} (?P<one>.+?) and (?P<other>.+?)"
        rf"(?: (?:cost|come to|came to|amount to|bring|make|earn|sell|be))? {_TOGETHER}{_TIME}",
        rf"\bwhat {_VERB} (?P<one>.+?) and (?P<other>.+?)(?: (?:cost|come to|amount to))? {_TOGETHER}{_TIME}",
    ),
    Operation.SHARE: (
        rf"\bwhat (?:share|proportion|fraction|percentage) of (?P<other>.+?) {_VERB}(?: (?:for|from|due to|spent on))? "
        rf"(?P<one>.+?){_TIME}",
        rf"\bwhat (?:share|proportion|fraction|percentage) of (?P<other>.+?) (?:came|comes|went|goes) (?:from|to|on) "
        rf"(?P<one>.+?){_TIME}",
        rf"^\W*(?:what (?:is|are|was|were) )?(?P<one>.+?) as an? (?:share|percentage) of (?P<other>.+?){_TIME}",
    ),
    Operation.DIFFERENCE: (
        rf"\bdifference between (?P<one>.+?) and (?P<other>.+?){_TIME}",
        rf"\bhow (?:much|many) (?:more|less|higher|lower|greater|smaller|larger) {_VERB} (?P<one>.+?)"
        rf"(?: (?:cost|bring|make|earn|sell|be))? than (?P<other>.+?){_TIME}",
    ),
}
_PATTERNS = {operation: [late(text, re.IGNORECASE) for text in said] for operation, said in _SAID.items()}


def operands(question: str) -> tuple[str, str] | None:
    """Return a question about each of the two figures to compute with, in the order of the formula; None if the
    question does not name two.
    """
    operation = asked_operation(question)
    for pattern in _PATTERNS.get(operation, ()) if operation else ():
        if match := pattern.search(question):
            rest = (match["rest"] or "").rstrip(" .?")
            return f"What is {match['one'].strip()}{rest}?", f"What is {match['other'].strip()}{rest}?"
    return None


def in_order(asked: tuple[str, str], one: QuotedCell, other: QuotedCell) -> tuple[QuotedCell, QuotedCell] | None:
    """Return the cells of two rows of one column in the order of two operands; None if the labels do not tell it."""
    if one.row == other.row or one.column != other.column:
        return None
    first, second = (frozenset(map(root, content_words(text))) for text in asked)
    mine, theirs = (roots(" ".join(cell.row)) for cell in (one, other))
    straight = len(first & mine) + len(second & theirs)
    turned = len(first & theirs) + len(second & mine)
    if straight == turned:
        return None
    return (one, other) if straight > turned else (other, one)
