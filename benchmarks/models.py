"""Measures the method with a named model, beside one prompt to the same model over the same search.

    python benchmarks/models.py SETS_DIR --model openai:NAME --base-url http://127.0.0.1:8000/v1 --rows ROWS.jsonl
        [--pairs N] [--long N] [--tables N] [--survey N] [--everyday FOLDER ...] [--most N]
        [--matrix N] [--second-plan N] [--side SIDE ...] [--seed S] [--jobs N]
        [--set PART.FIELD=VALUE] [--settings FILE] [--split dev] [--workspaces DIR]

SETS_DIR contains `near_miss` and `synthesis` (files NAME.SPLIT.jsonl, in which `set` names the folder SET/docs_SPLIT).

--pairs N      near misses: pairs of a question that its folder answers, and a twin that it nearly answers
--long N       questions that need several sentences or documents, judged by key points (see models_judge.py)
--tables N     cells of tables, differences, and their near misses
--survey N     questions about every document of a folder (which, list), for the documents that the answer names
--everyday F   folders with `questions.SPLIT.jsonl`, such as benchmarks/everyday/*/, up to --most questions of each;
               also with research.whole_tokens=0, so that the folder is searched instead of read whole
--matrix N     N trials and a question about each, all in one matrix
--second-plan  N questions whose document is taken out of the first plan: does the second plan find it?

The sides are `ask`, which is `investigator ask` as shipped, and `one prompt`, which gets the ten best passages of
`investigator search`. Questions are asked concurrently, so seconds include waiting. Every row is stored as soon as it
is known; rows that are in the file already are not asked again. `--model extractive --side ask` measures the built-in
finder.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from models_matrix import filled_matrix, matrix_table
from models_rows import (
    LONG_KINDS,
    SURVEY_KINDS,
    TABLE_KINDS,
    Row,
    SetQuestion,
    Side,
    Task,
    drawn,
    folder_questions,
    keep_row,
    kept_rows,
    near_miss_pairs,
    synthesis_rows,
)
from models_second_plan import second_plans, second_plans_table
from models_sides import Setup, ask_all
from models_tables import documents_table, table

LONG, SURVEY = "long", "survey"


def tasks(arguments: argparse.Namespace) -> Iterator[Task]:
    """Yield the chosen questions, for each side."""
    sets, split, seed = arguments.sets, arguments.split, arguments.seed
    if arguments.pairs:
        yield from _tasks("near misses", drawn(near_miss_pairs(sets, split), arguments.pairs, seed), arguments)
    for group, count, kinds in (
        (LONG, arguments.long, LONG_KINDS),
        ("tables", arguments.tables, TABLE_KINDS),
        (SURVEY, arguments.survey, SURVEY_KINDS),
    ):
        if count:
            yield from _tasks(group, drawn(synthesis_rows(sets, split, kinds), count, seed), arguments)
    for folder in arguments.everyday:
        for question in drawn(folder_questions(folder, split), arguments.most, seed):
            for side in arguments.side or Side:
                yield Task(group="everyday", folder=folder / f"docs_{split}", side=side, question=question)


def _tasks(group: str, questions: Sequence[SetQuestion], arguments: argparse.Namespace) -> Iterator[Task]:
    for question in questions:
        folder = arguments.sets / question.set / f"docs_{arguments.split}"
        for side in arguments.side or (Side.ASK, Side.ONE_PROMPT):
            yield Task(group=group, folder=folder, side=side, question=question)


def rows_for(setup: Setup, wanted: Sequence[Task], file: Path) -> list[Row]:
    """Ask what is not in the file yet, and return the rows of the wanted tasks."""
    kept = {row.key: row for row in kept_rows(file) if not row.failure}
    pending = [task for task in wanted if task.key not in kept]
    numbers = iter(range(1, len(pending) + 1))

    def keep(row: Row) -> None:
        keep_row(file, row)
        kept[row.key] = row
        outcome = row.failure or f"{row.status}, {row.calls} calls"
        print(f"{next(numbers)}/{len(pending)} {row.side}, {row.id}: {outcome}", flush=True)

    ask_all(setup, pending, keep)
    return [kept[task.key] for task in wanted]


def main() -> None:
    """Parse the arguments, ask the questions and print the results."""
    arguments = _arguments()
    setup = Setup(
        tuple(arguments.model),
        (*([f"chat.base_url={arguments.base_url}"] if arguments.base_url else []), *arguments.overrides),
        arguments.settings,
        arguments.workspaces.resolve(),
        arguments.jobs,
    )
    rows = rows_for(setup, list(tasks(arguments)), arguments.rows)
    if rows:
        print(f"\n{table(rows)}")
    if survey := [row for row in rows if row.group in (LONG, SURVEY) and row.kind in SURVEY_KINDS]:
        print(f"\n{documents_table(survey)}")
    if arguments.matrix:
        print(f"\n{matrix_table(filled_matrix(setup, arguments))}")
    if arguments.second_plan:
        print(f"\n{second_plans_table(second_plans(setup, arguments))}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path)
    parser.add_argument("--model", action="append", required=True, metavar="[ROLE=]PROVIDER:NAME")
    parser.add_argument("--base-url")
    parser.add_argument("--set", action="append", default=[], dest="overrides", metavar="PART.FIELD=VALUE")
    parser.add_argument("--settings", type=Path)
    for name in ("pairs", "long", "tables", "survey", "matrix", "second-plan"):
        parser.add_argument(f"--{name}", type=int, default=0, metavar="N")
    parser.add_argument("--everyday", type=Path, nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--most", type=int, default=1_000, help="questions of each everyday folder")
    parser.add_argument("--side", action="append", type=Side, choices=list(Side))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--jobs", type=int, default=8, help="questions of a folder that are asked at once")
    parser.add_argument("--workspaces", type=Path, default=Path(".benchmarks"))
    parser.add_argument("--rows", type=Path, default=Path(".benchmarks/models.jsonl"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
