"""Aligns a claim with a sentence, word by word and in order, to check that nothing important is missing.

A claim may omit only articles and whole parts of the sentence that are set off by commas, brackets or similar marks and
do not affect the rest: an apposition, a relative clause, a connective, another main clause. Any other added, omitted or
replaced word may change the meaning, and no list could cover all such words (docs/decisions/0018).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from investigator.evidence.statements import StatedKind, StatedWord
from investigator.language.claim_words import connectives, denying_words, joints, reaching_words

_LONGEST_ASIDE = 2
"""Maximum number of parts between commas in a relative clause inside a sentence."""


def says(sentence: Sequence[StatedWord], claim: Sequence[StatedWord]) -> bool:
    """Return True if a sentence contains all words of a claim in order, and the claim omits nothing essential."""
    wanted = [word for word in claim if not _is_free(word)]
    return bool(wanted) and _Alignment(sentence, wanted).fits(0, 0)


def is_whole(sentence: Sequence[StatedWord], claim: Sequence[StatedWord]) -> bool:
    """Return True if the sentence and the claim consist of the same words, including articles."""
    return len(sentence) == len(claim) and all(map(StatedWord.is_same, sentence, claim))


def without_connective(words: Sequence[StatedWord]) -> Sequence[StatedWord]:
    """Return the words in a statement, without an initial "However,"."""
    for end in range(1, min(6, len(words))):
        if words[end].breaks:
            return words[end:] if _is_connective(words[:end]) else words
    return words


class _Alignment:
    """Aligns the words of a claim with a sentence; `fits` tries every alignment, and remembers those that failed."""

    def __init__(self, sentence: Sequence[StatedWord], claim: Sequence[StatedWord]) -> None:
        self._sentence = sentence
        self._claim = claim
        self._failed: set[tuple[int, int]] = set()

    def fits(self, wanted: int, at: int) -> bool:
        """Return True if the claim from word index `wanted` onward matches the sentence from word index `at` onward."""
        if at == len(self._sentence):
            return wanted == len(self._claim)
        if (wanted, at) in self._failed:
            return False
        word = self._sentence[at]
        fits = (
            (wanted < len(self._claim) and word.is_same(self._claim[wanted]) and self.fits(wanted + 1, at + 1))
            or (_is_free(word) and self.fits(wanted, at + 1))
            or any(self.fits(wanted, end) for end in parts_to_leave_out(self._sentence, at))
        )
        if not fits:
            self._failed.add((wanted, at))
        return fits


def parts_to_leave_out(sentence: Sequence[StatedWord], start: int) -> Iterator[int]:
    """Yield the end of each part of a sentence that begins at `start` and can be omitted without changing the meaning
    of the rest.
    """
    if start and not sentence[start].breaks:
        return
    ends = [at for at in range(start + 1, len(sentence)) if sentence[at].breaks]
    if start == 0:
        yield from _leading(sentence, ends)
        return
    if "(" in sentence[start].before:
        end = _closing(sentence, start)
        if _is_bounded(sentence[start:end]):
            yield end
        return
    for count, end in enumerate([*ends, len(sentence)], start=1):
        if _may_be_left_out(sentence, start, end, count):
            yield end


def _leading(sentence: Sequence[StatedWord], ends: Sequence[int]) -> Iterator[int]:
    for count, end in enumerate(ends, start=1):
        part = sentence[:end]
        if count == 1 and _is_connective(part):
            yield end
        if not _is_bounded(part) or part[0].text in joints("prepositions"):
            continue
        concedes = count == 1 and part[0].text in joints("concessions")
        if concedes and not _is_pronoun(sentence[end]):
            yield end
        joined = sentence[end].text in joints("joining")
        following = end + joined
        if (joined or ";" in sentence[end].before) and _has_verb(part) and _is_clause(sentence[following:]):
            yield following


def _may_be_left_out(sentence: Sequence[StatedWord], start: int, end: int, count: int) -> bool:
    part, opening = sentence[start:end], sentence[start]
    if _is_connective(part):
        return True
    if opening.text in joints("relatives") and "," in opening.before and not _is_denied(part):
        return end == len(sentence) or _is_aside(part, count, sentence[end])
    if not _is_bounded(part):
        return False
    is_last = end == len(sentence)
    if is_last and ";" in opening.before:
        return True
    if "," not in opening.before:
        return False
    if not is_last:
        return _is_aside(part, count, sentence[end])
    if opening.text in joints("joining") | joints("concessions"):
        return _has_verb(part[1:])
    return opening.text.endswith("ing") or (count == 1 and _names_again(opening) and not _has_verb(part))


def _is_aside(part: Sequence[StatedWord], count: int, following: StatedWord) -> bool:
    """Return True if a part is an apposition or a relative clause inside a sentence, and not an item in a list."""
    if "," not in following.before or following.text in ("and", "or") or _names_again(following):
        return False
    opening = part[0]
    if opening.text in joints("relatives"):
        return count <= _LONGEST_ASIDE
    return count == 1 and (_names_again(opening) or opening.text.endswith("ed"))


def _names_again(word: StatedWord) -> bool:
    return word.is_article or word.text in joints("determiners")


def _is_bounded(part: Sequence[StatedWord]) -> bool:
    """Return True if no word of a part affects the text outside it, as a negation, doubt, condition or source would."""
    return not any(word.text in reaching_words() for word in part)


def _is_denied(part: Sequence[StatedWord]) -> bool:
    """Return True if a relative clause may say that the whole sentence is false, or only sometimes true."""
    return any(word.text in denying_words() for word in part)


def _is_connective(part: Sequence[StatedWord]) -> bool:
    words, phrases = connectives()
    said = tuple(word.text for word in part)
    return said in phrases or (len(said) == 1 and said[0] in words)


def _is_pronoun(word: StatedWord) -> bool:
    return word.text in joints("pronouns") or word.text in joints("determiners")


def _is_clause(part: Sequence[StatedWord]) -> bool:
    """Return True if a part has a verb and may begin with a named subject."""
    if not _has_verb(part) or _is_pronoun(part[0]) or _is_verb(part[0]):
        return False
    return part[0].text not in joints("prepositions")


def _has_verb(part: Sequence[StatedWord]) -> bool:
    return any(_is_verb(word) for word in part)


def _is_verb(word: StatedWord) -> bool:
    return word.text in joints("verbs") or (word.text.endswith("ed") and not word.is_name)


def _is_free(word: StatedWord) -> bool:
    return word.is_article or word.text == "also"


def _closing(sentence: Sequence[StatedWord], start: int) -> int:
    """Return the position of the first word after the brackets that open before the word at `start`."""
    depth = 0
    for at in range(start, len(sentence)):
        marks = sentence[at].before
        depth -= marks.count(")") if at > start else 0
        if at > start and depth <= 0:
            return at
        depth += marks.count("(")
    return len(sentence)


def is_subject(words: Sequence[StatedWord]) -> bool:
    """Return True if the words may be a subject, that is, if they contain no verb, preposition or figure."""
    stopped = joints("verbs") | joints("relatives") | joints("prepositions") - {"of"} | reaching_words()
    return not any(word.text in stopped or word.kind is not StatedKind.WORD for word in words)
