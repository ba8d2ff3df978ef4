"""Options, and the files that store them."""

from __future__ import annotations

import pytest

from investigator.dialogue.options import Opt
from investigator.errors import DialogueError


def test_options_that_are_given_go_before_the_defaults() -> None:
    given, absent = Opt(model="", batchsize=0, shuffle=False), Opt(model=None)
    for opt, values in ((given, ("", 0, False)), (absent, ("m", 4, True))):
        assert (opt.text("model", "m"), opt.number("batchsize", 4), opt.switch("shuffle", True)) == values


def test_an_option_of_the_wrong_kind_is_named() -> None:
    opt = Opt(model=7, batchsize=True, shuffle="yes")
    with pytest.raises(DialogueError, match="model must be a string, not 7"):
        opt.text("model")
    with pytest.raises(DialogueError, match="batchsize must be a whole number, not True"):
        opt.number("batchsize", 1)
    with pytest.raises(DialogueError, match="shuffle must be true or false, not 'yes'"):
        opt.switch("shuffle")
