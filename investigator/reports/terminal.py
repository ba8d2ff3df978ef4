"""Shows an investigation as text for a terminal. Pure. The text is safe to display, no matter what the documents
contain.

Everything is built as rich `Text`, which parses no markup, so `[bold]` in a document stays literal. A terminal receives
the styled text; a pipe or file receives its `.plain`, with one paragraph per line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rich.text import Text

from investigator.asking.budget import CEILINGS
from investigator.language.addresses import defanged
from investigator.language.relevance import stems
from investigator.language.terms import content_words
from investigator.proof.coverage import coverage_line
from investigator.records import (
    Answer,
    AnswerStatus,
    AskedQuestions,
    Forecast,
    Investigation,
    Passage,
    Quote,
    Replayed,
    RunSummary,
    TemplateVersion,
    Trust,
)
from investigator.reports.answer_view import (
    AnswerView,
    ShownSection,
    ShownStatement,
    answer_view,
    is_statement,
    shows_passages,
)
from investigator.reports.columns import columns, matching_lines, rows_in_columns
from investigator.reports.inert import inert, inert_line
from investigator.reports.wording import (
    HEADLINES,
    NO_READER,
    STOPS,
    UNFINISHED,
    distrust_lines,
    expected_line,
    file_words,
    is_finder,
    no_reader,
    open_parts,
    plural,
    readers,
    score_line,
    some_names,
    support_line,
    tainted_line,
    usage_line,
)
from investigator.research.shown_documents import excerpt_of

_SILENT = (AnswerStatus.NOT_FOUND, AnswerStatus.NOT_FOUND_SO_FAR, AnswerStatus.PREMISE_WRONG)
_QUOTE_LIMIT = 300
_PASSAGE_LIMIT = 300
_LIST_LIMIT = 20
_CUT = "\N{HORIZONTAL ELLIPSIS}"
_BEST_MEMORIES = 5
_MOST_NAMES = 3
_MOST_LABELS = 2  # details with heads beyond this number are aligned in columns


def investigation_text(investigation: Investigation, *, details: bool = False) -> Text:
    """Return the complete outcome: answer, sources, status with coverage, and what else a reader must know; ends with a
    newline. With `details`, also who answered and how far it is trusted, and the calls and the time that were used.
    """
    answer = investigation.answer
    blocks = [Text(f"Read as: {inert_line(investigation.read_as)}")] if investigation.read_as else []
    blocks += _answer_blocks(answer, details) if answer else _unfinished_blocks(investigation)
    return Text("\n\n").join(blocks).append("\n").append_text(_footer(investigation, details=details)).append("\n")


def answer_text(answer: Answer) -> Text:
    """Return what answers, and what the documents do not state, without sources, coverage and cost; ends with a
    newline.
    """
    return Text("\n\n").join(_body(answer, answer_view(answer))).append("\n")


def question_text(investigation: Investigation) -> Text:
    """Return the question as it was asked, to be printed before its outcome; ends with an empty line."""
    return Text(f"Question: {inert_line(investigation.question)}\n\n")


def runs_text(runs: Sequence[RunSummary]) -> Text:
    """Return one line for each run: id, start time, status, calls, question."""
    rows = [
        (
            inert_line(run.id),
            inert_line(run.created[:16].replace("T", " ")),
            (HEADLINES[run.answer_status] if run.answer_status else UNFINISHED).lower(),
            "" if is_finder(run.engine) else plural(run.calls, "call"),
            inert_line(run.question, 100) + (f" ({some_names(run.scope, _MOST_NAMES)})" if run.scope else ""),
        )
        for run in runs
    ]
    return columns(rows, left=range(5)).append("\n") if rows else Text()


def _answer_blocks(answer: Answer, details: bool) -> list[Text]:
    view = answer_view(answer)
    nearest = [_nearest(passage, answer.question) for passage in answer.nearest]
    blocks = [*_body(answer, view), *_section("Nearest passages", nearest)]
    if answer.coverage.wordings and answer.status in _SILENT:
        blocks.append(Text(f"Also searched for: {inert_line('; '.join(answer.coverage.wordings))}"))
    blocks += _section("Withheld from the answer", _items(view.withheld))
    if not shows_passages(answer):
        sources = [_source(number, quote, answer) for number, quote in enumerate(answer.citations, 1)]
        blocks += _section("Sources", sources)
    return [*blocks, _status_line(answer, view, details)]


def _body(answer: Answer, view: AnswerView) -> list[Text]:
    gaps = _section(view.gaps_title, _items(view.not_stated))
    sections = [block for section in view.sections for block in _section_blocks(section)]
    return [*_content(answer, view), *sections, *gaps, *_disputes(view)]


def _content(answer: Answer, view: AnswerView) -> list[Text]:
    """Return the lead, the details and the table; without a lead, begin with the status."""
    blocks = [Text(view.lead.line) if view.lead is not None else _status(answer, answer.reason)]
    if shows_passages(answer):
        passages = zip(answer.details, view.details, strict=True)
        return [*blocks, *(_passage(statement.quotes, shown) for statement, shown in passages)]
    if sum(bool(detail.head) for detail in view.details) > _MOST_LABELS:
        blocks.append(columns([(inert_line(detail.head), detail.line) for detail in view.details], left=range(2)))
    elif view.sections and view.details:
        blocks.append(Text(" ".join(detail.headed for detail in view.details)))
    elif view.details:
        blocks.append(Text("\n").join(_items(view.details)))
    if view.rows:
        rows = [(inert_line(document_id), decision, shown.line) for document_id, decision, shown in view.rows]
        blocks.append(columns(rows, heading=("Document", "Decision", ""), left=range(3)))
    if view.others:
        blocks.append(Text("\n".join(view.others)))
    return blocks


def _section_blocks(section: ShownSection) -> list[Text]:
    blocks = [Text(" ".join(statement.headed for statement in paragraph)) for paragraph in section.paragraphs]
    if section.rows:
        blocks.append(_table(section))
    blocks += [Text(inert_line(section.remark), style="dim")] if section.remark else []
    return [Text(inert_line(section.heading), style="bold"), *blocks]


def _table(section: ShownSection) -> Text:
    """Return the rows in the columns of the section, with the citations after the last."""
    if not section.columns:
        return columns([(inert_line(row.head), row.line) for row in section.rows], left=range(2))
    rows = [(row.head, *row.cells[:-1], replace(row, text=row.cells[-1]).line) for row in section.rows]
    return columns(
        [tuple(map(inert_line, row)) for row in rows],
        heading=tuple(map(inert_line, section.columns)),
        left=range(len(section.columns)),
    )


def _passage(quotes: Sequence[Quote], shown: ShownStatement) -> Text:
    """Return a passage below its citation mark, its place and its heading, in the lines of its document; rows of a
    table stand in columns.
    """
    marks = "".join(f"[{number}]" for number in shown.numbers)
    places = ", ".join(inert_line(quote.place) for quote in quotes[: len(shown.numbers)])
    heading = f" - {inert_line(shown.head)}" if shown.head else ""
    lines = quotes[0].text.splitlines() if len(quotes) == 1 else [shown.text]
    text = rows_in_columns([inert_line(line) for line in lines if line.strip()])
    return Text(f"{marks} {places}{heading}", style="cyan").append("\n").append_text(text)


def _nearest(passage: Passage, question: str) -> Text:
    """Return the lines of a passage that hold words of the question, as a search shows them, below their place."""
    heading = f" - {inert_line(passage.heading)}" if passage.heading else ""
    place, lines = matching_lines(passage, question)
    return Text(f"- {place}{heading}", style="cyan").append_text(lines)


def _disputes(view: AnswerView) -> list[Text]:
    disagreements = []
    for about, sides, explanation in view.disagreements:
        lines = [f"- {inert_line(about)}", *(f"    {side.line}" for side in sides)]
        lines += [f"    {inert_line(explanation)}"] if explanation else []
        disagreements.append(Text("\n".join(lines)))
    return _section("The documents disagree", disagreements)


def _items(statements: Iterable[ShownStatement]) -> list[Text]:
    return [Text(f"- {statement.headed}") for statement in statements]


def _source(number: int, quote: Quote, answer: Answer) -> Text:
    """Return a citation; its words are omitted if a statement already contains them, and a long quote is cut around
    what the statements say.
    """
    place, words = f"[{number}] {inert_line(quote.place)}", quote.inline
    if is_statement(quote, answer):
        return Text(place, style="cyan")
    cited = (statement.text for statement in answer.statements if quote in statement.quotes)
    shown = excerpt_of(words, stems(word for text in cited for word in content_words(text)), _QUOTE_LIMIT)
    start, end = ("" if words.startswith(shown) else _CUT), ("" if words.endswith(shown) else _CUT)
    return _item(place, f'"{start}{_prose(shown, _QUOTE_LIMIT)}{end}"')


def _prose(text: str, limit: int) -> str:
    """Return a document's text on one line, without working links."""
    return inert_line(defanged(text[: 4 * limit]), limit)


def _status(answer: Answer, reason: str) -> Text:
    style = "bold green" if answer.status is AnswerStatus.ANSWERED else "bold yellow"
    if _is_unread(answer):
        return Text.assemble((HEADLINES[answer.status], style), f". {no_reader(answer)}")
    return _headline(HEADLINES[answer.status], reason, style)


def _is_unread(answer: Answer) -> bool:
    """Return True if an answer has passages that nobody read, which its status says if there is nothing else to say."""
    is_plain = answer.status is AnswerStatus.PASSAGES_FOUND and not answer.coverage.source_changed
    return is_plain and answer.check.trust is Trust.UNREAD


def _status_line(answer: Answer, view: AnswerView, details: bool = False) -> Text:
    """Return the status, unless it is shown above, with the coverage and what is open; with `details`, all files that
    were not opened or are unreadable follow it.
    """
    coverage, parts = answer.coverage, open_parts(answer)
    covered = inert(coverage_line(coverage, with_names=not details))
    line = covered + (f"; open: {inert_line('; '.join(parts))}" if parts else "")
    if view.lead is None:
        first = Text(f"Coverage: {line}")
    elif answer.status is AnswerStatus.ANSWERED or not answer.reason:
        first = _status(answer, "").append(f"; {line}")
    else:
        first = _status(answer, answer.reason).append(f" Coverage: {line}")
    lists = (
        ("Not opened", coverage.not_opened),
        ("Unreadable", [f"{file.path} ({file_words(file)})" for file in coverage.unreadable if file.counts]),
        ("Without text", [f"{file.path} ({file_words(file)})" for file in coverage.unreadable if not file.counts]),
    )
    named = [Text(f"{title}: {some_names(names, _LIST_LIMIT)}") for title, names in lists if names and details]
    return Text("\n").join([first, *named])


def _unfinished_blocks(investigation: Investigation) -> list[Text]:
    reason = f"stopped before it was answered; {plural(len(investigation.memories), 'reply', 'replies')} kept."
    blocks = [_headline(UNFINISHED, reason, "bold yellow"), Text(f"Question: {inert_line(investigation.question)}")]
    best = sorted(investigation.memories, key=lambda memory: (-(memory.point or 0), memory.id))[:_BEST_MEMORIES]
    engine = investigation.setup.engine
    replies = [
        _item(
            f"- {inert_line(memory.target_document_id)} ({score_line(memory, engine)})",
            inert_line(memory.reply, _PASSAGE_LIMIT),
        )
        for memory in best
    ]
    return blocks + _section("Best replies so far", replies)


def _footer(investigation: Investigation, *, details: bool, is_alone: bool = True) -> Text:
    answer, setup, usage = investigation.answer, investigation.setup, investigation.usage
    if details or answer is None:
        is_said = answer is not None and answer.status is AnswerStatus.PASSAGES_FOUND  # that nobody read them
        lines = [inert_line(line) for line in readers(investigation) if not (is_said and line == NO_READER)]
    else:
        lines = [inert_line(support_line(answer))] if answer.check.by else []
        lines += [inert_line(line) for line in distrust_lines(answer, setup.engines) if is_alone or line != NO_READER]
    if setup.scope:
        lines.append(f"Limited to: {some_names(setup.scope, _MOST_NAMES)}")
    if setup.templates:
        lines.append(own_templates(setup.templates))
    if answer and answer.coverage.tainted:
        lines.append(tainted_line(map(inert_line, answer.coverage.tainted)))
    if answer and answer.run.stop in CEILINGS:
        lines.append(f"Stopped because {STOPS[answer.run.stop]}.")
    if details or answer is None or usage.money or usage.unpriced:
        lines.append(f"Used: {usage_line(usage, investigation.elapsed)}")
    day = setup.as_of or (answer.run.day if answer else "")
    lines.append(f"Run: {inert_line(investigation.id)}{f', as of {inert_line(day)}' if day else ''}")
    return Text("\n".join(filter(None, lines)), style="dim")


def own_templates(templates: Sequence[TemplateVersion]) -> str:
    """Return a line that names the user's own prompt templates."""
    return f"With your own templates: {some_names([template.name for template in templates], _MOST_NAMES)}"


def _headline(words: str, reason: str, style: str) -> Text:
    return Text.assemble((words, style), f": {inert_line(reason)}" if reason.strip() else "")


def _section(title: str, items: Sequence[Text]) -> list[Text]:
    return [Text("\n").join([Text(title, style="bold"), *items])] if items else []


def _item(mark: str, words: str) -> Text:
    return Text.assemble((mark, "cyan"), "  ", words)


def replayed_text(replayed: Replayed) -> Text:
    """Return a few lines that show whether a run had the same outcome as before."""
    standing = replayed.quotes - len(replayed.failed_quotes)
    lines = [
        Text(f"Replayed: {plural(replayed.calls, 'call')} answered from the journal, no model asked."),
        Text(f"Quotes verified in the current documents: {standing} of {replayed.quotes}."),
    ]
    lines += [Text(f"- no longer found: {inert_line(quote.place)}") for quote in replayed.failed_quotes]
    if replayed.differences:
        lines += [Text(f"- {inert_line(difference)}", style="bold yellow") for difference in replayed.differences]
    else:
        lines.append(Text("Plan, memories and answer are the same as before.", style="bold green"))
    return Text("\n").join([Text(), *lines, Text()])


def questions_text(answered: AskedQuestions) -> Text:
    """Return the answers to many questions, each as if it alone were asked, but what concerns all only once; ends with
    a newline.
    """
    blocks = []
    for number, outcome in enumerate(answered.outcomes, start=1):
        run = outcome.investigation
        own = [_headline("Failed", outcome.failure, "bold red")] if run is None else _question_blocks(run)
        blocks += [Text(f"{number}. {inert_line(outcome.question)}", style="bold"), *own]
    if any(outcome.investigation and not outcome.investigation.setup.is_read for outcome in answered.outcomes):
        blocks.append(Text(NO_READER))
    if answered.usage.tokens:
        blocks.append(Text(f"Used: {usage_line(answered.usage, answered.seconds)}", style="dim"))
    return Text("\n\n").join(blocks).append("\n")


def _question_blocks(investigation: Investigation) -> list[Text]:
    """Return the outcome of one of many questions, without the notice that nobody read the documents."""
    answer = investigation.answer
    blocks = _answer_blocks(answer, details=False) if answer else _unfinished_blocks(investigation)
    if answer and _is_unread(answer):
        blocks[0] = _headline(HEADLINES[answer.status], no_reader(answer).removeprefix(NO_READER), "bold yellow")
    return [*blocks[:-1], Text("\n").join([blocks[-1], _footer(investigation, details=False, is_alone=False)])]


def forecast_text(forecast: Forecast, engine: str) -> Text:
    """Return the plan and its expected cost."""
    lines = [f"Planned: {plural(len(forecast.steps), 'step')} in {plural(forecast.rounds, 'round')}"]
    lines += [f"- {inert_line(step.document_id)}: {inert_line(step.purpose, 200)}" for step in forecast.steps]
    lines += [
        "",
        f"Expected with {inert_line(engine)}: {expected_line(forecast.expected)}",
        f"At most, given the limits: {expected_line(forecast.most)}",
        "The plan comes from the search; a language model may plan differently. No model was asked.",
    ]
    return Text("\n".join(lines) + "\n")
