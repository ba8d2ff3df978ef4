"""Options: texts, numbers and switches, or a clear error."""

from __future__ import annotations

import pytest

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError


def test_an_option_that_is_absent_or_none_is_the_default() -> None:
    opt = Opt(model=None)
    assert (opt.text("model", "m"), opt.number("batchsize", 4), opt.switch("shuffle", True)) == ("m", 4, True)


def test_options_that_are_given_go_before_the_defaults() -> None:
    opt = Opt(model="", batchsize=0, shuffle=False)
    assert (opt.text("model", "m"), opt.number("batchsize", 4), opt.switch("shuffle", True)) == ("", 0, False)


def test_an_option_of_the_wrong_kind_is_named() -> None:
    opt = Opt(model=7, batchsize=True, shuffle="yes")
    with pytest.raises(DialogueError, match="model must be a text, it is 7"):
        opt.text("model")
    with pytest.raises(DialogueError, match="batchsize must be a whole number, it is True"):
        opt.number("batchsize", 1)
    with pytest.raises(DialogueError, match="shuffle must be true or false, it is 'yes'"):
        opt.switch("shuffle")


def test_a_deep_copy_shares_nothing() -> None:
    opt = Opt(override={"seed": 1})
    made = opt.deepcopy()
    made["override"]["seed"] = 2  # type: ignore[index]
    assert type(made) is Opt
    assert opt == {"override": {"seed": 1}}
