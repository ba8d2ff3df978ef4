"""Shows an investigation as text for a terminal. Pure. The text is safe to display, no matter what the documents
contain.

Everything is built as rich `Text`, which parses no markup, so `[bold]` in a document stays literal. A terminal receives
the styled text; a pipe or file receives its `.plain`, with one paragraph per line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text

from investigator.evidence.coverage import coverage_line
from investigator.evidence.taint import tainted_documents
from investigator.language.addresses import defanged
from investigator.records import (
    Answer,
    AnswerStatus,
    AskedQuestions,
    Coverage,
    Forecast,
    Investigation,
    Memory,
    NearMiss,
    Quote,
    Replayed,
    RunSummary,
    TemplateVersion,
)
from investigator.reports.columns import columns
from investigator.reports.inert import inert, inert_line
from investigator.reports.tables import table_lines
from investigator.reports.wording import (
    ALTERED,
    FILE_STATUSES,
    HEADLINES,
    STOPS,
    UNFINISHED,
    answer_headline,
    conflict_line,
    engine_line,
    expected_line,
    near_miss_line,
    open_part_line,
    plural,
    score_line,
    usage_line,
)

_QUOTE_LIMIT = 600
_PASSAGE_LIMIT = 300
_CAPTION_LIMIT = 160
_LIST_LIMIT = 20
_BEST_MEMORIES = 5
_MOST_NAMES = 3

_STYLES = {
    AnswerStatus.ANSWERED: "bold green",
    AnswerStatus.CONFLICTING: "bold yellow",
    AnswerStatus.ANSWERED_IN_PART: "bold yellow",
    AnswerStatus.PASSAGES_FOUND: "bold yellow",
    AnswerStatus.NOT_FOUND: "bold yellow",
    AnswerStatus.NOT_FOUND_SO_FAR: "bold yellow",
}


def investigation_text(investigation: Investigation) -> Text:
    """Return the complete outcome: status, answer, citations, coverage and cost; ends with a newline."""
    answer = investigation.answer
    blocks = _answer_blocks(answer) if answer else _unfinished_blocks(investigation)
    if investigation.follows:
        blocks.insert(1, Text(f"Read as: {inert_line(investigation.question)}"))
    blocks.append(_footer(investigation))
    return Text("\n\n").join(blocks).append("\n")


def question_text(investigation: Investigation) -> Text:
    """Return the question as it was asked, to be printed before its outcome; ends with an empty line."""
    return Text(f"Question: {inert_line(investigation.follows or investigation.question)}\n\n")


def runs_text(runs: Sequence[RunSummary]) -> Text:
    """Return one line for each investigation or matrix: id, start time, status, calls, question."""
    cells: dict[str, list[RunSummary]] = {}
    for number, run in enumerate(runs):
        cells.setdefault(run.matrix or str(number), []).append(run)
    rows = [_cells_row(name, own) if own[0].matrix else _run_row(own[0]) for name, own in cells.items()]
    return columns(rows, left=range(5)).append("\n") if rows else Text()


def _run_row(run: RunSummary) -> tuple[str, ...]:
    asked = inert_line(run.question, 100) + (f" ({_some_names(run.scope)})" if run.scope else "")
    return inert_line(run.id), _began(run), _run_status(run), plural(run.calls, "call"), asked


def _cells_row(name: str, cells: Sequence[RunSummary]) -> tuple[str, ...]:
    """Return the cells of a matrix as one row, with the start time of the newest cell."""
    questions = list(dict.fromkeys(cell.question for cell in cells))
    documents = {document for cell in cells for document in cell.scope}
    ended = sum(cell.answer_status is not None for cell in cells)
    more = f" and {len(questions) - 1} more" if len(questions) > 1 else ""
    asked = f"{inert_line(questions[0], 100)}{more} (each of {plural(len(documents), 'document')})"
    status = f"{ended} of {plural(len(cells), 'cell')} asked"
    return inert_line(name), _began(cells[0]), status, plural(sum(cell.calls for cell in cells), "call"), asked


def _began(run: RunSummary) -> str:
    return inert_line(run.created[:16].replace("T", " "))


def _run_status(run: RunSummary) -> str:
    if run.altered:
        return ALTERED
    return (HEADLINES[run.answer_status] if run.answer_status else UNFINISHED).lower()


def _answer_blocks(answer: Answer) -> list[Text]:
    blocks = [_status(answer_headline(answer), answer.reason, _STYLES[answer.status])]
    if answer.asked_as:
        blocks.append(Text(f"Asked as: {inert_line('; '.join(answer.asked_as))}"))
    blocks += _body(answer)
    cited = () if answer.table is not None else answer.citations  # the rows of a table contain their quotes
    citations = [_source(number, quote, answer) for number, quote in enumerate(cited, start=1)]
    readings = [Text(f"- {inert_line(defanged(reading))}") for claim in answer.claims for reading in claim.readings]
    unproven = [Text(f"- {inert_line(defanged(claim.text))} ({inert_line(claim.reason)})") for claim in answer.unproven]
    misses = [_near_miss(miss, cited) for miss in answer.near_misses]
    missed = {miss.quote.document_id for miss in answer.near_misses}
    nearest = [
        _item(f"- {inert_line(p.place)}", inert_line(p.text, _PASSAGE_LIMIT))
        for p in answer.nearest
        if p.document_id not in missed
    ]
    blocks += _section("Sources", citations)
    blocks += _conflicts_and_open_parts(answer)
    blocks += _section("The model's reading of these quotes, not proven", readings)
    blocks += _section("Not proven by the documents, and therefore not part of the answer", unproven)
    blocks += _section("Nearest", misses)
    blocks += _section("Nearest passages", nearest)
    if answer.wordings and not answer.asked_as:
        blocks.append(Text(f"Also searched for: {inert_line('; '.join(answer.wordings))}"))
    blocks.append(_coverage(answer.coverage))
    return blocks


def _body(answer: Answer) -> list[Text]:
    """Return an answer's table or, if it has none, its statements; return nothing if the reason alone is enough."""
    if answer.table is not None:
        return [Text("\n").join(Text(line) for line in table_lines(answer.table))]
    text = answer.text.strip()
    return [Text(inert(text))] if text and text != answer.reason.strip() else []


def _conflicts_and_open_parts(answer: Answer) -> list[Text]:
    conflicts = [Text(f"- {inert_line(conflict_line(one))}") for one in answer.conflicts]
    unanswered = [Text(f"- {inert_line(open_part_line(part))}") for part in answer.unanswered]
    return _section("Statements that disagree", conflicts) + _section("Not answered", unanswered)


def _near_miss(miss: NearMiss, cited: Sequence[Quote] = ()) -> Text:
    """Return a near miss with its words, or with the number of its citation if it is already cited."""
    if miss.quote in cited:
        return _item(f"- [{list(cited).index(miss.quote) + 1}]", inert_line(near_miss_line(miss)))
    words = inert_line(miss.quote.said, _PASSAGE_LIMIT)
    return _item(f"- {inert_line(miss.quote.place)}", f'{inert_line(near_miss_line(miss))} "{words}"')


def _source(number: int, quote: Quote, answer: Answer) -> Text:
    """Return a citation; its words are omitted if a statement already contains them. A cell is shown with the caption
    of its table.
    """
    if quote.cell is not None:
        return _cell(number, quote, answer)
    place, words = f"[{number}] {inert_line(quote.place)}", " ".join(quote.text.split())
    if any(words == claim.text for claim in answer.claims):
        return Text(place, style="cyan")
    return _item(place, f'"{inert_line(quote.text, _QUOTE_LIMIT)}"')


def _cell(number: int, quote: Quote, answer: Answer) -> Text:
    """Return the citation of a cell: the caption of its table and, on a separate line, labels, headers and value."""
    caption = quote.cell.caption if quote.cell is not None else ""
    lines = [_item(f"[{number}] {inert_line(quote.place)}", inert_line(caption, _CAPTION_LIMIT))]
    if all(claim.text != quote.said for claim in answer.claims):
        lines.append(Text(f"    {inert_line(quote.said, _QUOTE_LIMIT)}"))
    lines.append(Text(f'    "{inert_line(quote.text, _QUOTE_LIMIT)}"', style="dim"))
    return Text("\n").join(lines)


def _unfinished_blocks(investigation: Investigation) -> list[Text]:
    reason = f"stopped before it was answered; {plural(len(investigation.memories), 'reply', 'replies')} kept."
    best = sorted(investigation.memories, key=lambda memory: (-(memory.point or 0), memory.id))[:_BEST_MEMORIES]
    blocks = [_status(UNFINISHED, reason, "bold yellow"), Text(f"Question: {inert_line(investigation.question)}")]
    return blocks + _section("Best replies so far", [_memory(memory) for memory in best])


def _memory(memory: Memory) -> Text:
    return _item(
        f"- {inert_line(memory.target_document_id)} ({score_line(memory)})", inert_line(memory.reply, _PASSAGE_LIMIT)
    )


def _coverage(coverage: Coverage) -> Text:
    """Return the coverage line, followed by the names that it omits and the reasons for unreadable files."""
    line = coverage_line(coverage)
    lines = [Text(f"Coverage: {inert(line)}")]
    if any(path not in line for path in coverage.not_opened):
        lines += _listed("Not opened", coverage.not_opened)
    unreadable = [
        f"{file.path} ({FILE_STATUSES[file.status]}{': ' if file.reason else ''}{file.reason})"
        for file in coverage.unreadable
    ]
    if any(file.reason or file.path not in line for file in coverage.unreadable):
        lines += _listed("Unreadable", unreadable)
    return Text("\n").join(lines)


def _footer(investigation: Investigation) -> Text:
    answer = investigation.answer
    lines = [Text(inert(engine_line(answer.engine if answer else investigation.engine)))]
    if investigation.scope:
        lines.append(Text(f"Limited to: {_some_names(investigation.scope)}"))
    if investigation.templates:
        lines.append(Text(own_templates(investigation.templates)))
    if tainted := tainted_documents(investigation.memories):
        lines.append(
            Text(
                "Contains text addressed to a language model, so only its quotes count: "
                + ", ".join(map(inert_line, tainted))
            )
        )
    if answer:
        lines.append(Text(f"Stopped because {STOPS[answer.stop]}."))
    lines.append(Text(f"Used: {usage_line(investigation.usage, investigation.elapsed)}"))
    lines.append(Text(f"Run: {inert_line(investigation.id)}"))
    footer = Text("\n").join(lines)
    footer.stylize("dim")
    return footer


def own_templates(templates: Sequence[TemplateVersion]) -> str:
    """Return a line that names the user's own prompt templates."""
    return f"With your own templates: {_some_names([one.name for one in templates])}"


def _some_names(names: Sequence[str]) -> str:
    """Return the first few of the given names, and the number of further names."""
    more = [f"and {len(names) - _MOST_NAMES:,} more"] if len(names) > _MOST_NAMES else []
    return ", ".join([*map(inert_line, names[:_MOST_NAMES]), *more])


def _status(words: str, reason: str, style: str) -> Text:
    return Text.assemble((words, style), f": {inert_line(reason)}" if reason.strip() else "")


def _section(title: str, items: Sequence[Text]) -> list[Text]:
    return [Text("\n").join([Text(title, style="bold"), *items])] if items else []


def _item(mark: str, words: str) -> Text:
    return Text.assemble((mark, "cyan"), "  ", words)


def _listed(title: str, paths: Iterable[str]) -> list[Text]:
    every = [inert_line(path) for path in paths]
    if not every:
        return []
    rest = [f"and {len(every) - _LIST_LIMIT:,} more"] if len(every) > _LIST_LIMIT else []
    return [Text(f"{title}: {', '.join(every[:_LIST_LIMIT] + rest)}")]


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


def questions_text(asked: AskedQuestions) -> Text:
    """Return the answers to many questions, one after the other: status, statements, places; ends with a newline."""
    blocks = []
    for number, outcome in enumerate(asked.outcomes, start=1):
        lines = [Text(f"{number}. {inert_line(outcome.question)}", style="bold")]
        investigation = outcome.investigation
        answer = investigation.answer if investigation is not None else None
        if answer is None:
            lines.append(_status("Failed", outcome.failure, "bold red"))
        else:
            lines.append(_status(answer_headline(answer), answer.reason, _STYLES[answer.status]))
            lines += _body(answer)
            cited = () if answer.table is not None else answer.citations
            lines += [Text(f"[{i}] {inert_line(q.place)}", style="cyan") for i, q in enumerate(cited, 1)]
            lines += _conflicts_and_open_parts(answer)
            lines += [_near_miss(miss) for miss in answer.near_misses]
            lines.append(Text(f"Run: {inert_line(investigation.id if investigation else '')}", style="dim"))
        blocks.append(Text("\n").join(lines))
    blocks.append(Text(f"Used: {usage_line(asked.usage, asked.seconds)}", style="dim"))
    return Text("\n\n").join(blocks).append("\n")


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
