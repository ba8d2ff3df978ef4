"""Candidates that the search adopts or rejects, with simulated outcomes, and sets that share no document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from benchmarks.tuning import BASELINE, Simulated, questions, searched
from investigator.asking.budget import BudgetSpent
from investigator.errors import DataError
from investigator.evaluation.measures import Measure
from investigator.evaluation.outcomes import Outcome
from investigator.evaluation.questions import Question
from investigator.records import AnswerStatus, StopReason, Usage
from investigator.tuning.candidates import Variant
from investigator.tuning.search import Ending, Fate, SearchResult, TuningSearch, race_size, rungs
from investigator.tuning.splitting import QuestionSets, drawn_sets, leaked

EVERY = questions(300)
BETTER = Variant(name="better", settings=("a=1",))
OTHER = Variant(name="other", settings=("a=2",))


class Written:
    """An arena with one value for each candidate and question; missing values count as 0."""

    def __init__(
        self, value: Callable[[str, int], float | None], ceiling: int | None = None, openings: int = 1
    ) -> None:
        self.sets = Simulated(EVERY, {}, 0).sets
        self.trials: set[tuple[str, str]] = set()
        self.refused: Mapping[str, str] = {}
        self.trial: Callable[[str, Outcome], Outcome] = lambda _, outcome: outcome
        self._value = value
        self._ceiling = ceiling
        self._openings = openings

    def outcomes(self, candidate: Variant, questions: Sequence[Question], limit: int) -> Mapping[str, Outcome]:
        result = {}
        for number, each in enumerate(questions[:limit]):
            if self.calls_left() == 0 and (candidate.name, each.id) not in self.trials:
                raise BudgetSpent(StopReason.CALLS)
            self.trials.add((candidate.name, each.id))
            value = self._value(candidate.name, number)
            scores = {} if value is None else {Measure.RIGHT: value}
            outcome = Outcome(id=each.id, status=AnswerStatus.ANSWERED, scores=scores, cost=Usage(calls=1))
            result[each.id] = self.trial(candidate.name, outcome)
        return result

    def refusal(self, candidate: Variant) -> str:
        return self.refused.get(candidate.name, "")

    def calls_left(self) -> int | None:
        return None if self._ceiling is None else max(0, self._ceiling - len(self.trials))

    def open_test(self) -> int:
        return self._openings


def result_of(arena: Written, candidates: Sequence[Variant] = (BETTER, OTHER)) -> SearchResult:
    return TuningSearch(arena.sets, BASELINE, lambda: candidates, arena, Measure.RIGHT, seed=1).run()


def gaining(name: str, number: int) -> float:
    """The baseline is right on half of the questions, and the better candidate also on two thirds of the others."""
    return float(number % 2 == 0 or (name == "better" and number % 3 == 0))


def test_null_runs_adopt_nothing_and_a_planted_gain_is_found() -> None:
    null = {f"c{n}": 0.0 for n in range(8)}
    endings = [searched(Simulated(EVERY, null, seed))[0] for seed in range(20)]
    assert endings.count(Ending.ADOPTED) <= 1
    result = [searched(Simulated(EVERY, null | {"c3": 0.15}, seed))[1] for seed in range(20)]
    assert result.count("c3") >= 16


def test_a_candidate_that_is_proven_better_is_adopted_and_the_test_set_is_opened_for_the_best_alone() -> None:
    arena = Written(gaining)
    result = result_of(arena)
    assert (result.ending, result.winner) == (Ending.ADOPTED, BETTER)
    assert result.test is not None
    assert result.reason.startswith("better is better than baseline: ")
    assert [(each.name, each.fate) for each in result.tried] == [("better", Fate.FINALIST), ("other", Fate.DROPPED)]
    assert SearchResult.model_validate_json(result.model_dump_json()) == result
    test = {each.id for each in arena.sets.test}
    assert {name for name, question in arena.trials if question in test} == {"baseline", "better"}
    unopened = Written(lambda name, number: float(number % 2))  # a constant measure: all candidates score the same
    assert result_of(unopened).ending is Ending.NO_CANDIDATE
    assert not [question for _, question in unopened.trials if question in test]


def test_nothing_to_gain_stops_after_the_headroom() -> None:
    arena = Written(lambda name, number: 1.0)
    result = result_of(arena)
    assert result.ending is Ending.NOTHING_TO_GAIN
    assert len(arena.trials) == rungs(120)[0] == 30
    assert {each.fate for each in result.tried} == {Fate.NOT_TRIED}


def test_a_gain_on_the_first_set_that_the_test_does_not_bear_out_is_not_adopted() -> None:
    arena = Written(gaining)
    select = {each.id for each in arena.sets.select}

    def lucky(name: str, trial: Outcome) -> Outcome:
        return trial if trial.id in select else trial.changed(scores={Measure.RIGHT: 0.5})

    arena.trial = lucky
    result = result_of(arena)
    assert result.ending is Ending.NOT_PROVEN
    assert result.winner is None
    assert "No difference was found" in result.reason


@pytest.mark.parametrize(
    ("guard", "worse"),
    [
        ("quote validity 1 to 0.9", {"scores": {Measure.PROVEN: 0.9}}),
        ("readable replies 1 to 0.9", {"scores": {Measure.PARSED: 0.9}}),
        ("false answers 0 to 1", {"scores": {Measure.FALSE_ANSWER: 1.0}}),
        ("calls a question 1 to 3", {"cost": Usage(calls=3)}),
    ],
)
def test_no_gain_is_worth_a_guard(guard: str, worse: dict[str, object]) -> None:
    sound = {Measure.PROVEN: 1.0, Measure.PARSED: 1.0, Measure.FALSE_ANSWER: 0.0}
    arena = Written(gaining)
    test = {each.id for each in arena.sets.test}

    def made(name: str, trial: Outcome) -> Outcome:
        scores = {**sound, **trial.scores}
        if name == "better" and trial.id in test:
            changed = dict(worse)
            changed["scores"] = {**scores, **changed.get("scores", {})}  # type: ignore[dict-item]
            return trial.changed(**changed)
        return trial.changed(scores=scores)

    arena.trial = made
    result = result_of(arena)
    assert result.ending is Ending.GUARD_FELL
    assert result.reason == f"better is better, but fails a guard ({guard})."
    assert result.winner is None


def test_what_breaks_the_contract_is_counted_and_never_tried() -> None:
    arena = Written(gaining)
    broken = Variant(name="broken", settings=("b=1",))
    arena.refused = {"broken": "it does not use 'passages'", "other": "it is too long"}
    again = BETTER.changed(name="the same again")
    result = result_of(arena, (broken, BETTER, again, Variant(name="as it was")))
    fates = [(Fate.REFUSED, "it does not use 'passages'"), (Fate.FINALIST, ""), (Fate.SAME, ""), (Fate.SAME, "")]
    assert [(each.fate, each.reason) for each in result.tried] == fates
    assert "broken" not in {name for name, _ in arena.trials}
    assert result.ending is Ending.ADOPTED
    arena.trials.clear()
    none = result_of(arena, (broken, OTHER))
    assert (none.ending, len(arena.trials)) == (Ending.NONE_TRIED, 0)
    assert none.reason == "2 candidates. broken: it does not use 'passages'"


@pytest.mark.parametrize("ceiling", [0, 5, 100, 300])
def test_a_ceiling_that_is_too_low_is_named_and_held(ceiling: int) -> None:
    arena = Written(gaining, ceiling)
    assert result_of(arena).ending is Ending.CEILING
    assert len(arena.trials) <= ceiling


def test_the_race_is_made_to_fit_under_the_ceiling() -> None:
    many = [Variant(name=f"c{n}", settings=(f"a={n + 9}",)) for n in range(30)]
    arena = Written(gaining, 700)
    result = result_of(arena, (BETTER, *many))
    assert result.ending is Ending.ADOPTED
    assert sum(each.fate is Fate.NOT_TRIED for each in result.tried) > 20
    assert len(arena.trials) <= 700


def test_a_second_test_of_the_same_data_needs_a_smaller_p() -> None:
    def slightly(name: str, number: int) -> float:
        return float(number % 2 == 0 or (name == "better" and number in (1, 3, 5, 7, 9, 11)))

    assert result_of(Written(slightly)).ending is Ending.ADOPTED  # p = 0.03
    second = result_of(Written(slightly, openings=2))
    assert second.ending is Ending.NOT_PROVEN
    assert "test 2 of the same data" in second.reason


def test_a_measure_that_nothing_is_known_for_is_an_error() -> None:
    with pytest.raises(DataError, match="has the facts that"):
        result_of(Written(lambda name, number: None))


def test_halving_keeps_the_better_half_and_asks_fewer_questions() -> None:
    assert (rungs(100), rungs(8)) == ((25, 50, 100), (8,))
    assert race_size(4, 100) == 25 * 5 + 25 * 3 + 50 * 2 < 100 * 5
    arena = Written(lambda name, number: float(number % 10 < int(name[1:] or 0)) if name[0] == "c" else 0.0)
    result = result_of(arena, [Variant(name=f"c{n}", settings=(f"a={n}",)) for n in (1, 5, 2, 3)])
    assert [(each.name, each.questions, each.reason) for each in result.tried] == [
        ("c1", 30, "another candidate is better"),
        ("c5", 120, ""),
        ("c2", 30, "another candidate is better"),
        ("c3", 60, "another candidate is better"),
    ]


def question(number: int, *documents: str, answerable: bool = True) -> Question:
    return Question(id=f"q{number}", question=f"What is {number}?", doc_ids=documents, answerable=answerable)


def many(count: int) -> list[Question]:
    """Return two questions for each document, a fifth of them without an answer."""
    answered = [question(n, f"d{n // 2}.txt") for n in range(count)]
    return [*answered, *(question(count + n, answerable=False) for n in range(count // 4))]


def each(sets: QuestionSets) -> tuple[tuple[Question, ...], ...]:
    return sets.reflect, sets.select, sets.test


def test_no_document_and_no_twin_is_in_two_sets() -> None:
    twins = {f"d{n}.txt": f"group {n // 2}" for n in range(20)}  # each document has a twin under another name
    sets = drawn_sets(many(80), twins, seed=7)
    grouped = [{twins.get(name, name) for row in some for name in row.documents} for some in each(sets)]
    assert all(grouped[i].isdisjoint(grouped[j]) for i, j in ((0, 1), (0, 2), (1, 2)))
    assert sum(map(len, each(sets))) == 100


def test_each_set_gets_its_share_of_both_kinds() -> None:
    sets = drawn_sets(many(80), {}, seed=1)
    assert [len(some) for some in each(sets)] == pytest.approx([20, 40, 40], abs=3)
    assert [sum(q.answerable is False for q in some) for some in each(sets)] == pytest.approx([4, 8, 8], abs=2)


def test_the_seed_decides_and_the_order_of_the_file_does_not() -> None:
    rows = many(60)
    assert drawn_sets(rows, {}, seed=3) == drawn_sets(rows[::-1], {}, seed=3)
    assert drawn_sets(rows, {}, seed=3) != drawn_sets(rows, {}, seed=4)


@pytest.mark.parametrize(
    "rows",
    [
        [question(1, "a.txt")],
        [],
        [question(n, "one.txt") for n in range(90)],
        [Question(id=str(n), question="The same?", answerable=False) for n in range(90)],
    ],
    ids=["one example", "none", "one document", "the same words"],
)
def test_too_few_or_too_close_questions_are_refused_with_what_it_would_take(rows: list[Question]) -> None:
    with pytest.raises(DataError, match="cannot fill three sets") as refused:
        drawn_sets(rows, {}, seed=0)
    assert "430" in refused.value.hint


def test_questions_without_an_answer_alone_can_be_drawn() -> None:
    sets = drawn_sets([question(n, answerable=False) for n in range(60)], {}, seed=0)
    assert sum(map(len, each(sets))) == 60


def test_a_template_that_holds_a_question_or_its_evidence_is_known() -> None:
    row = Question(id="rent", question="How much is the rent of the mill a year?", evidence=("It is EUR 48,000.",))
    assert leaked("Example: how much is  the rent of the mill a year? 48,000.", [row]) == "rent"
    assert leaked("Answer from the passages alone.", [row]) == ""
