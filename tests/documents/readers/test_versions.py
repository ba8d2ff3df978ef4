"""Every reader has a version, so that text from an older version is recognised."""

import re

from investigator.documents.readers.registry import own_reader
from investigator.documents.readers.versions import OWN, is_current, reader_version


def test_every_reader_can_be_called() -> None:
    assert all(callable(own_reader(kind)) for kind in OWN)


def test_a_text_of_another_version_or_of_an_unknown_reader_is_not_current() -> None:
    now = reader_version("application/pdf")
    assert is_current(now)
    assert "pypdfium2" in now
    assert not is_current(re.sub(r"^application/pdf \S+", "application/pdf 1.0", now))
    assert not is_current(now[:-1] + "x")
    assert not is_current("")
