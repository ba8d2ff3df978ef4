"""Answers the chat's templates without a language model: searches if anything is asked, recalls by vectors, and quotes.
The sentences around the quotes are in English, even if the conversation is not; styles are not supported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from investigator.bb3.exchange import asks, sentences
from investigator.bb3.records import (
    DecisionReply,
    FactReply,
    FactsVariables,
    Module,
    PersonalFact,
    PhraseReply,
    ResponseReply,
    ResponseVariables,
    Speaker,
    Turn,
    TurnsVariables,
)
from investigator.engines.base import Embedder
from investigator.engines.extractive.engine import Answers
from investigator.language.normalise import one_line
from investigator.language.terms import TOKEN, folded, stop_words, tokens
from investigator.records import Record

_NEAR = 0.3  # minimum cosine similarity between a question and a fact that is given together with quotes
_LEAST = 0.15  # the minimum if there is nothing to quote: "What do you know about me?" is far from every fact
_AS_NEAR = 0.05  # how much less similar a further fact may be
_MOST_FACTS = 3
_MOST_NOTED = 3
_LONGEST_NOTED = 300
_LEAST_TERMS = 3  # minimum number of words of a question that is not completed from the turns before it
_LEAST_NOTED = 2
_MOST_WORDS = 12
_LONGEST_QUESTION = 200
_FADING = 0.7
_SHORTEST_TOPIC = 3
_QUOTED = re.compile(r"“[^”]*”(?: \([^()]*\))?")
_NOTHING_TO_QUOTE = "I have nothing to quote on that."
_NOT_LOOKED = "I have not looked it up."
_WHAT_NEXT = "What would you like to know?"
_OWNERS = {Speaker.PARTNER: "You told me", Speaker.SELF: "I told you"}


def chat_answers(embedder: Embedder) -> Answers:
    """Return the function that the built-in engine uses to answer the chat's templates. Thread-safe."""
    modules = {module.template: module for module in Module}
    phrases = {Module.SGM: _query, Module.MGM: _note, Module.CKM: _topic}

    def answer(template: str, variables: Record) -> Record | None:
        module = modules.get(template.removesuffix(".j2"))
        match variables, module:
            case TurnsVariables(turns=turns), Module.SDM:
                return DecisionReply(point=100 if asks(_last(turns)) else 0, needed=asks(_last(turns)))
            case TurnsVariables(turns=turns), Module.SGM | Module.MGM | Module.CKM:
                return PhraseReply(text=phrases[module](turns))
            case TurnsVariables(turns=turns), Module.VRM:
                return _respond(ResponseVariables(turns=turns), f"{_NOTHING_TO_QUOTE} {_NOT_LOOKED}")
            case FactsVariables(facts=facts), Module.ORM:
                return _open(facts)
            case FactsVariables(), Module.MKM:
                return _recall(variables, embedder)
            case FactsVariables(), Module.MDM:
                recalled = _recall(variables, embedder)
                return DecisionReply(point=recalled.point, needed=recalled.fact_id is not None)
            case ResponseVariables(fact=fact), Module():
                if fact and variables.knowledge:
                    question, known = embedder.embed([_last(variables.turns), fact.text])
                    variables = variables.changed(fact=fact if question @ known >= _NEAR else None)
                return _respond(variables, _NOTHING_TO_QUOTE if module is Module.SRM else "")
        return None

    return answer


def _query(turns: Sequence[Turn]) -> str:
    """Return the questions of the last turn, or the whole turn if it asks nothing. If they have fewer than three
    content words, a second line adds the words of the question before and of its reply, which only choose among what
    the first finds, unless that is nothing (see `ask` of the built-in engine).
    """
    text = _last(turns)
    question = " ".join(sentence for sentence in sentences(text) if asks(sentence)) or text
    question = one_line(question)  # each line of a query is a query of its own
    terms = _terms(question)
    if len(question) > _LONGEST_QUESTION:
        return " ".join(terms[:_MOST_WORDS])
    earlier = [turn for turn in turns[-3:-1] if turn.speaker is Speaker.SELF or asks(turn.text)]
    before = [word for turn in earlier for word in _terms(_own_words(turn))]
    if len(terms) < _LEAST_TERMS and question and before:
        completed = f"{question} ({' '.join(before[:_MOST_WORDS])})"
        return f"{question}\n{completed}" if terms else completed
    return question if terms else ""


def _note(turns: Sequence[Turn]) -> str:
    """Return the statements in the partner's last turn, verbatim; the built-in engine says nothing about itself."""
    if not turns or turns[-1].speaker is Speaker.SELF:
        return ""
    stated = [sentence for sentence in sentences(turns[-1].text) if not asks(sentence)]
    noted = [text for text in stated if len(text) <= _LONGEST_NOTED and len(_terms(text)) >= _LEAST_NOTED]
    return " ".join(noted[:_MOST_NOTED])


def _topic(turns: Sequence[Turn]) -> str:
    """Return the run of content words that the turns mention most; later turns have more weight."""
    weights: dict[str, float] = {}
    for age, turn in enumerate(reversed(turns)):
        for run in _runs(_own_words(turn)):
            weights[run] = weights.get(run, 0.0) + _FADING**age
    return max(weights, key=weights.__getitem__, default="")


def _runs(text: str) -> list[str]:
    """Return the runs of content words in a text that are separated by single spaces."""
    runs: list[list[str]] = []
    end = -1
    for token in TOKEN.finditer(text):
        if folded(token.group()) in stop_words():
            continue
        if runs and text[end : token.start()] == " ":
            runs[-1].append(token.group())
        else:
            runs.append([token.group()])
        end = token.end()
    return [run for words in runs if len(run := " ".join(words)) >= _SHORTEST_TOPIC]


def _recall(variables: FactsVariables, embedder: Embedder) -> FactReply:
    """Return the facts nearest to a question, and the cosine similarity in percent; without a question, none."""
    text, facts = _last(variables.turns), variables.facts
    if not facts or not asks(text):
        return FactReply(point=0)
    vectors = embedder.embed([text, *(fact.text for fact in facts)])
    cosines = {fact.id: float(cosine) for fact, cosine in zip(facts, vectors[1:] @ vectors[0], strict=True)}
    nearest = sorted(cosines, key=lambda fact_id: (-cosines[fact_id], -fact_id))[:_MOST_FACTS]
    best = cosines[nearest[0]]
    chosen = [fact_id for fact_id in nearest if cosines[fact_id] >= max(_LEAST, best - _AS_NEAR)]
    point = max(0, min(100, round(100 * best)))
    return FactReply(point=point, fact_id=chosen[0] if chosen else None, more_ids=tuple(chosen[1:]))


def _respond(variables: ResponseVariables, nothing: str) -> ResponseReply:
    """Return the given fact and quotes with their places. `nothing` is the reply to a question without quotes."""
    parts = [_reminder(variables.fact)] if variables.fact is not None else []
    parts.extend(f"“{one_line(quote.text)}” ({quote.place})" for quote in variables.knowledge)
    if parts and variables.entity:
        parts.insert(0, f"About {variables.entity}:")
    if not variables.knowledge and asks(_last(variables.turns)):
        parts[:0] = [nothing] if nothing else []
    reply = " ".join(parts) or (_NOTHING_TO_QUOTE if asks(_last(variables.turns)) else _WHAT_NEXT)
    return ResponseReply(quotes=tuple(quote.text for quote in variables.knowledge), reply=reply)


def _open(facts: Sequence[PersonalFact]) -> ResponseReply:
    """Return a greeting that mentions the newest fact about the partner."""
    stated = [fact for fact in facts if fact.speaker is Speaker.PARTNER]
    greeting = f"Hello again! {_reminder(stated[-1])}" if stated else "Hello!"
    return ResponseReply(reply=f"{greeting} {_WHAT_NEXT}")


def _reminder(fact: PersonalFact) -> str:
    stated = f" on {fact.stated}" if fact.stated else ""
    lines = " ".join(f"“{one_line(line)}”" for line in fact.text.splitlines())
    return f"{_OWNERS[fact.speaker]}{stated}: {lines}"


def _terms(text: str) -> list[str]:
    """Return the words of a text that are no stop words, as written and in order."""
    return [token for token in tokens(text) if folded(token) not in stop_words()]


def _last(turns: Sequence[Turn]) -> str:
    return turns[-1].text if turns else ""


def _own_words(turn: Turn) -> str:
    """Return a turn without quotes, their places, and the question that ends many replies."""
    return _QUOTED.sub(" ", turn.text).replace(_WHAT_NEXT, " ")
