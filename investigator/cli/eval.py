"""`investigator eval retrieval | claims | folder`: evaluates the search, the check of statements, or answers."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.text import Text

from investigator.cli.options import AsJson, CommonOptions, Model, PromptsFolder, SettingsOptions
from investigator.cli.output import again_to_resume, check_place, note, print_result, resumable, write_file
from investigator.cli.progress import show_all
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


def eval_retrieval(
    corpus: Annotated[Path, typer.Option(metavar="FILE", help="Documents: JSONL with _id, title, text.")],
    queries: Annotated[Path, typer.Option(metavar="FILE", help="Queries: JSONL with _id, text.")],
    qrels: Annotated[Path, typer.Option(metavar="FILE", help="Relevance judgements: TSV as in BEIR or TREC.")],
    settings: SettingsOptions,
    as_json: AsJson = False,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Use only the first N queries.")] = None,
    workspace: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep documents and vectors in this directory.")
    ] = None,
    per_query: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the scores for each query to this JSONL file.")
    ] = None,
) -> None:
    """Evaluate keyword, vector and hybrid search on a BEIR test collection.

    Each document is indexed as one passage, in the same kind of index as a folder. Measures are nDCG@10, recall@10,
    recall@100 and RR@10 over the queries with a relevant document, with bootstrap intervals.
    """
    if per_query is not None:
        check_place(per_query.expanduser())
    chosen = settings.load()
    collection = read_collection(corpus, queries, qrels, limit)
    with TemporaryDirectory(prefix="investigator-", ignore_cleanup_errors=True) as temporary:
        directory = workspace or Path(temporary)
        embedder = open_embedder(chosen)
        evaluation = RetrievalEvaluation(collection, directory, embedder, chosen.retrieval)
        kept = "all vectors so far are kept; run the same command again to resume."
        lost = "nothing is kept; use --workspace DIR to make runs resumable."
        with resumable(kept if workspace else lost):
            show_all(evaluation.run())
    if per_query is not None:
        lines = "".join(f"{result.model_dump_json()}\n" for result in evaluation.results)
        write_file(per_query.expanduser(), lines.encode(), "Choose a file that you may write to.")
    report = evaluation.report()
    print_result(Printed.RETRIEVAL_EVALUATION, report, retrieval_text, as_json=as_json)


def eval_claims(
    claims: Annotated[Path, typer.Argument(metavar="FILE.jsonl", help="Statements with their quotes, true or false.")],
    settings: SettingsOptions,
    model: Model = None,
    prompts: PromptsFolder = None,
    as_json: AsJson = False,
) -> None:
    """Measure how well the check tells supported statements from unsupported ones.

    Each row has id, statement, evidence (a list of objects with quote and, if known, around, the text around it), true
    (true or false) and, if known, kind. The model for the role check judges them, or the cross-encoder in check.model.
    The report counts the false statements that were accepted, and the true ones that were refused.
    """
    rows, parts = read_claims(claims), Parts(settings.load(), prompts=prompts, on_notice=note)
    engines = parts.engines(model, record=None, folder=claims.parent)
    evaluation = ClaimsEvaluation(rows, parts.client(engines, parts.memory_journal()))
    show_all(evaluation.run())
    print_result(Printed.CLAIMS_EVALUATION, evaluation.report(), claims_text, as_json=as_json)


def eval_folder(
    docs: Annotated[Path, typer.Option(metavar="DIR", help="Folder of documents.")],
    questions: Annotated[Path, typer.Option(metavar="FILE.jsonl", help="Questions with their known answers.")],
    common: CommonOptions,
    limit: Annotated[int | None, typer.Option(metavar="N", min=1, help="Use only the first N questions.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.jsonl", help="Write the outcomes to this file instead of one in the workspace."),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask everything again; do not resume.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask each question in a file and measure the documents, evidence, answers, unanswered questions, proof and cost.

    Each row has id and question, and any of: answers, answerable, doc_ids, evidence, key_numbers, key_points, kind,
    scope, evidence_pages_one_based or evidence_pages_zero_based. Only the given fields are measured. To resume a
    stopped evaluation, run the same command again; failed questions are asked again.
    """
    investigator = common.investigator(docs, common.settings.load())
    evaluation = FolderEvaluation(investigator, read_questions(questions, note), limit=limit, out=out, fresh=fresh)
    check_outside(questions, investigator)

    def kept() -> str:
        where = f" in {evaluation.file}" if evaluation.file else ""
        return f"{len(evaluation.outcomes)} outcomes are kept{where}; {again_to_resume(fresh=fresh)}"

    with resumable(kept):
        show_all(evaluation.run())
    report = evaluation.report()
    print_result(Printed.FOLDER_EVALUATION, report, folder_text, as_json=as_json)


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
