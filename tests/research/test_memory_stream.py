import pytest

from investigator.records import Memory, PointStatus, Reading
from investigator.research.history_selector import HistorySelector
from investigator.research.memory_stream import MemoryStream


def test_ids_count_from_one_and_go_on_after_a_reload() -> None:
    stream = MemoryStream()
    stream.add("a.txt", "Q1", Reading(reply="R1", point=10))
    stream.add("a.txt", "Q2", Reading(reply="R2", point=20))
    reloaded = MemoryStream(list(stream))
    assert reloaded.add("a.txt", "Q3", Reading(reply="R3", point=30)).id == 3
    assert [memory.id for memory in reloaded] == [1, 2, 3]


def test_a_memory_is_kept_before_it_can_be_seen() -> None:
    seen: list[int] = []
    stream = MemoryStream(keep=lambda memory: seen.append(len(stream)))
    stream.add("a.txt", "Q", Reading(reply="R", point=10))
    assert seen == [0]


def test_a_memory_that_cannot_be_kept_is_not_in_the_stream() -> None:
    def full(_: Memory) -> None:
        raise OSError("no space")

    stream = MemoryStream(keep=full)
    with pytest.raises(OSError, match="no space"):
        stream.add("a.txt", "Q", Reading(reply="R", point=10))
    assert len(stream) == 0


def test_a_reply_without_a_point_is_unparsed_and_keeps_its_words() -> None:
    memory = MemoryStream().add("a.txt", "Q", Reading(reply="I would rather not say.", point=None))
    assert (memory.point, memory.status, memory.reply) == (None, PointStatus.UNPARSED, "I would rather not say.")


def test_history_holds_points_at_the_threshold_and_above_in_order() -> None:
    stream = MemoryStream()
    for point in (49, 50, None, 100, 0, 51):
        stream.add("a.txt", "Q", Reading(reply="R", point=point))
    selector = HistorySelector(stream)
    assert selector.get_history() == ()
    assert [memory.point for memory in selector.select(50)] == [50, 100, 51]
    assert [memory.id for memory in selector.get_history()] == [2, 4, 6]


def test_a_threshold_of_zero_still_leaves_out_what_is_unparsed() -> None:
    stream = MemoryStream()
    stream.add("a.txt", "Q", Reading(reply="R", point=None))
    stream.add("a.txt", "Q", Reading(reply="R", point=0))
    assert [memory.point for memory in HistorySelector(stream).select(0)] == [0]


def test_an_unknown_memory_id_is_an_error() -> None:
    with pytest.raises(KeyError):
        MemoryStream().get(1)
