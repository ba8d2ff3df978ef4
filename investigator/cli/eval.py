"""`investigator eval`: evaluates answers, the check of statements, or the search."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.text import Text

from investigator.cli.options import AsJson, CommonOptions, SettingsOptions
from investigator.cli.output import again_to_resume, check_place, note, print_result, resumable, write_file
from investigator.cli.progress import show_all
from investigator.errors import UserError
from investigator.evaluation.beir import read_collection
from investigator.evaluation.claims import ACCEPTED, ClaimsEvaluation, ClaimsReport, read_claims
from investigator.evaluation.estimates import Estimate
from investigator.evaluation.folder import FolderEvaluation, check_outside
from investigator.evaluation.measures import Measure
from investigator.evaluation.questions import read_questions
from investigator.evaluation.retrieval import MEASURES, RetrievalEvaluation, RetrievalReport
from investigator.evaluation.scoring import FolderReport, grounds_line
from investigator.records import Support
from investigator.reports.columns import columns
from investigator.reports.inert import inert_line
from investigator.reports.schemas import Printed
from investigator.reports.wording import HEADLINES, plural, usage_line
from investigator.services.parts import Parts, open_embedder


def evaluate(
    common: CommonOptions,
    folder: Annotated[Path | None, typer.Argument(metavar="FOLDER", help="Folder to ask.")] = None,
    questions: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Measure answers to these questions about FOLDER.")
    ] = None,
    claims: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Measure the check on these true and false statements.")
    ] = None,
    retrieval: Annotated[
        Path | None,
        typer.Option(metavar="COLLECTION", help="Measure the search on a BEIR collection, by default its test set."),
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Use only the first N.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write the outcome of each question or query to this file."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask all questions again; do not resume.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the answers about a folder, the check of statements, or the search.

    FOLDER --questions FILE asks each question, and measures documents, evidence, answers, silence, proof and cost. Each
    row has id and question, and any of: answers, answerable, doc_ids, evidence, key_numbers, key_points, kind, scope,
    evidence_pages_one_based or evidence_pages_zero_based. Only the given fields are measured. To resume, run the same
    command again; failed questions are asked again.

    --claims FILE: each row has id, statement, evidence (a list of objects with quote and, if known, around, the text
    around it), true (true or false) and, if known, kind. The model for the role check judges them, or the cross-encoder
    in check.model. The report counts the false statements that were accepted, and the true ones that were refused.

    --retrieval COLLECTION: a folder with corpus.jsonl, queries.jsonl and qrels/test.tsv, or another file in qrels. Each
    document is indexed as one passage. Measures are nDCG@10, recall@10, recall@100 and RR@10 over the queries with a
    relevant document, with bootstrap intervals.
    """
    given = {"--questions": questions, "--claims": claims, "--retrieval": retrieval}
    chosen = [option for option, value in given.items() if value is not None]
    if len(chosen) != 1 or (questions is None) != (folder is None):
        forms = "FOLDER --questions FILE, --claims FILE or --retrieval COLLECTION"
        raise UserError("expected one thing to measure", hint=f"Give one of: {forms}")
    unused = {"--claims": ("--out", "--fresh", "--workspace"), "--retrieval": ("--fresh", "--model", "--prompts")}
    values: dict[str, object] = {"--out": out, "--fresh": fresh, "--workspace": common.workspace}
    values |= {"--model": common.model, "--prompts": common.prompts}
    if odd := [option for option in unused.get(chosen[0], ()) if values[option]]:
        raise UserError(f"{odd[0]} does not apply to {chosen[0]}", hint=f"Omit {' and '.join(odd)}.")
    if retrieval is not None:
        _evaluate_retrieval(retrieval, common.settings, limit, common.workspace, out, as_json=as_json)
    elif claims is not None:
        _evaluate_claims(claims, common, limit, as_json=as_json)
    elif questions is not None and folder is not None:
        _evaluate_folder(folder, questions, common, limit=limit, out=out, fresh=fresh, as_json=as_json)


def _evaluate_retrieval(
    place: Path,
    settings: SettingsOptions,
    limit: int | None,
    workspace: Path | None,
    out: Path | None,
    *,
    as_json: bool,
) -> None:
    """Evaluate keyword, vector and hybrid search, each document in the same kind of index as a folder."""
    if out is not None:
        check_place(out.expanduser())
    qrels = place if place.is_file() else place / "qrels" / "test.tsv"
    at, chosen = qrels.parent.parent, settings.load()
    collection = read_collection(at / "corpus.jsonl", at / "queries.jsonl", qrels, limit)
    with TemporaryDirectory(prefix="investigator-", ignore_cleanup_errors=True) as temporary:
        directory = workspace or Path(temporary)
        evaluation = RetrievalEvaluation(collection, directory, open_embedder(chosen), chosen.retrieval)
        kept = "all vectors so far are kept; run the same command again to resume."
        lost = "nothing is kept; use --workspace DIR to make runs resumable."
        with resumable(kept if workspace else lost):
            show_all(evaluation.run())
    if out is not None:
        lines = "".join(f"{result.model_dump_json()}\n" for result in evaluation.results)
        write_file(out.expanduser(), lines.encode(), "Choose a file that you may write to.")
    print_result(Printed.RETRIEVAL_EVALUATION, evaluation.report(), retrieval_text, as_json=as_json)


def _evaluate_claims(claims: Path, common: CommonOptions, limit: int | None, *, as_json: bool) -> None:
    rows, parts = read_claims(claims), Parts(common.settings.load(), prompts=common.prompts, on_notice=note)
    engines = parts.engines(common.model, record=None, folder=claims.parent)
    evaluation = ClaimsEvaluation(rows[:limit], parts.client(engines, parts.memory_journal()))
    show_all(evaluation.run())
    print_result(Printed.CLAIMS_EVALUATION, evaluation.report(), claims_text, as_json=as_json)


def _evaluate_folder(
    folder: Path,
    questions: Path,
    common: CommonOptions,
    *,
    limit: int | None,
    out: Path | None,
    fresh: bool,
    as_json: bool,
) -> None:
    investigator = common.investigator(folder, common.settings.load())
    evaluation = FolderEvaluation(investigator, read_questions(questions, note), limit=limit, out=out, fresh=fresh)
    check_outside(questions, investigator)

    def kept() -> str:
        where = f" in {evaluation.file}" if evaluation.file else ""
        return f"{len(evaluation.outcomes)} outcomes are kept{where}; {again_to_resume(fresh=fresh)}"

    with resumable(kept):
        show_all(evaluation.run())
    print_result(Printed.FOLDER_EVALUATION, evaluation.report(), folder_text, as_json=as_json)


_BY_KIND = {
    Measure.RIGHT: "right",
    Measure.CITED_HIT: "cited right",
    Measure.EVIDENCE_HIT: "evidence",
    Measure.ANSWER_F1: "F1",
    Measure.NUMBER_RECALL: "numbers",
}


def retrieval_text(report: RetrievalReport) -> Text:
    """Return the table of the three rankings, with the gain of hybrid search over the others, and a newline."""
    rows = [
        (
            half.half.value,
            *(_value(half.measures.get(name), 4) for name in MEASURES),
            _interval(half.measures.get(MEASURES[0]), 4),
            f"{half.gain.value:+.4f} ({_interval(half.gain, 4)})" if half.gain else "-",
            f"{1000 * half.seconds_per_query:.1f}",
        )
        for half in report.halves
    ]
    about = f"{plural(report.documents, 'document')}, {plural(report.queries, 'query', 'queries')}, {report.embedder}"
    heading = ("search", *MEASURES, f"{MEASURES[0]}, 95 %", "gain of both (95 %)", "ms/query")
    return Text("\n").join([Text(inert_line(about)), columns(rows, heading=heading)]).append("\n")


def claims_text(report: ClaimsReport) -> Text:
    """Return the table of judgements on true and false statements, for all and by kind, and the statements that were
    judged wrongly.
    """
    rows = []
    for group in (report.everything, *report.kinds):
        truths, lies = group.truths, group.lies
        counts = (
            *(sum(truths.values()), truths.get(Support.UNSUPPORTED, 0), truths.get(Support.IN_PART, 0)),
            *(sum(lies.values()), sum(lies.get(support, 0) for support in ACCEPTED), lies.get(Support.IN_PART, 0)),
            truths.get(Support.UNCHECKED, 0) + lies.get(Support.UNCHECKED, 0),
        )
        rows.append((inert_line(group.kind or "all"), *(f"{count:,}" for count in counts)))
    heading = ("statements", "true", "refused", "in part", "false", "accepted", "in part", "unchecked")
    wrong = [f"  {inert_line(row.id)} ({row.support}): {inert_line(row.statement, 200)}" for row in report.wrong]
    blocks = [Text(f"checked by {inert_line(report.checker)}"), columns(rows, heading=heading)]
    blocks += [Text("\n".join(["judged wrongly:", *wrong]))] if wrong else []
    blocks.append(Text(f"Used: {usage_line(report.usage, report.seconds)}", style="dim"))
    return Text("\n").join(blocks).append("\n")


def folder_text(report: FolderReport) -> Text:
    """Return the measures with their intervals, the questions by kind, and those that failed or are not right."""
    rows = [
        (measure.label, _value(estimate, 3), _interval(estimate, 3), f"{estimate.questions:,}")
        for measure, estimate in report.everything.measures.items()
    ]
    kinds = [
        (inert_line(kind.kind, 50), f"{kind.questions:,}", *(_value(kind.measures.get(name), 3) for name in _BY_KIND))
        for kind in report.kinds
    ]
    lines = [
        "; ".join(f"{HEADLINES[status].lower()}: {count:,}" for status, count in report.statuses.items()),
        grounds_line(report.judged),
        f"{plural(report.statements, 'statement')}, {report.unsupported:,} of them not fully supported; "
        f"{report.withheld:,} withheld",
    ]
    questions = plural(report.everything.questions + len(report.failures), "question")
    blocks = [
        Text(f"{questions}, {inert_line(report.engine)}"),
        columns(rows, heading=("measure", "value", "95 %", "questions")),
        *([columns(kinds, heading=("kind", "questions", *_BY_KIND.values()))] if kinds else []),
        Text("\n".join(filter(None, lines))),
    ]
    if report.wrong:
        named = ", ".join(f"{inert_line(each.id)} ({each.status}, {each.right:.2f})" for each in report.wrong)
        blocks.append(Text(f"{plural(len(report.wrong), 'question')} not right: {named}"))
    if report.failures:
        listed = [f"  {inert_line(each.id)}: {inert_line(each.failure, 200)}" for each in report.failures]
        named = f"{plural(len(report.failures), 'question')} failed and are not measured:"
        blocks.append(Text("\n".join([named, *listed]), style="yellow"))
    return Text("\n\n").join(blocks).append("\n")


def _value(estimate: Estimate | None, digits: int) -> str:
    return "-" if estimate is None else f"{estimate.value:.{digits}f}"


def _interval(estimate: Estimate | None, digits: int) -> str:
    return "-" if estimate is None else f"{estimate.low:.{digits}f} to {estimate.high:.{digits}f}"
