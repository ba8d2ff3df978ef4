from __future__ import annotations

import pytest

from investigator.reports.inert import inert, inert_line

SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b2J", "\\x9b2J"),
        ("a\rb", "a\\x0db"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("invoice\u202efdp.exe", "invoice\\u202efdp.exe"),
        ("caf\udce9.txt", "caf\\udce9.txt"),
        ("nul\x00", "nul\\x00"),
    ],
)
def test_characters_that_act_are_written_out(text: str, shown: str) -> None:
    assert inert(text) == shown
    assert inert(text).encode("utf-8").isascii()


@pytest.mark.parametrize(
    "text", ["naïve 雨 🙂 ಠ_ಠ", "שלום עולם", "می\u200cخواهم", "👩\u200d💻", SCOTLAND, "[bold]x[/bold] <b>"]
)
def test_ordinary_text_of_any_script_stays_as_it_is(text: str) -> None:
    assert inert(text) == text


def test_one_line_folds_white_space_and_says_that_it_cut() -> None:
    assert inert_line("a\n  b\tc") == "a b c"
    assert inert_line("abcdef", 6) == "abcdef"
    assert inert_line("abcdefg", 6) == "abcde…"
    assert inert_line("x" + " " * 5000 + "y", 10).endswith("…")
