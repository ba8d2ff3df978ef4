"""Subtitles and transcripts (WebVTT, SubRip): a line for each caption, with its time and its speaker."""

from __future__ import annotations

import re
from html import unescape

from investigator.documents.readers.base import Extracted, ReaderSettings, ReadFailure, SourceFile, cleaned
from investigator.documents.readers.decoding import decoded
from investigator.language.normalise import one_line
from investigator.records import FileStatus

_CUE = re.compile(r"\s*(?:(\d+):)?(\d{1,2}):(\d\d)[.,]\d{1,3}\s*-->\s*(?:\d+:)?\d{1,2}:\d\d[.,]\d{1,3}.*")
_VOICE = re.compile(r"<v(?:\.[^ >]*)?\s+([^>]{1,80})>")
_TAG = re.compile(r"</?[^<>\n]{1,80}>|\{\\[^{}\n]{1,80}\}")


def read_subtitles(source: SourceFile, settings: ReaderSettings) -> Extracted:
    """Reads captions; numbers, styles, positions and notes of the file are no speech. Captions that only repeat the one
    before are left out. Raises ReadFailure.
    """
    text = decoded(source.data, declared=False)
    if text is None:
        raise ReadFailure(FileStatus.FAILED, "its name says it is a text, but its bytes are not")
    lines, before = list[str](), ""
    for block in re.split(r"\n[ \t]*\n", cleaned(text)):
        rows = block.split("\n")
        at = next((number for number, row in enumerate(rows) if _CUE.fullmatch(row)), None)
        if at is None:  # a heading, a style or a note
            continue
        words = _words("\n".join(rows[at + 1 :]))
        if words and words != before:
            lines.append(f"{_time(rows[at])} {words}")
        before = words
    return Extracted(text="\n".join(lines))


def _time(row: str) -> str:
    """Return the beginning of a caption: "[0:01:05]"."""
    hours, minutes, seconds = _CUE.fullmatch(row).groups()  # type: ignore[union-attr]
    return f"[{int(hours or 0)}:{int(minutes):02}:{seconds}]"


def _words(caption: str) -> str:
    """Return the speech of a caption on one line, each speaker's words behind the name."""
    spoken = _VOICE.sub(lambda match: f"\n{match[1].strip()}: ", caption)
    return one_line(unescape(_TAG.sub("", spoken)))
