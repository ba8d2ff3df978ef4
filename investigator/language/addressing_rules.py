"""What is written to a language model and not to a reader: rules over folded text, and those for English.

A rule is written as the words that it may begin with and what follows them, a regular expression in which a blank
stands for a few blanks, commas or quotation marks, and `~5` for up to five words. Texts are folded before they are
looked at (see `undisguised`), and so are the rules.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from investigator.language.undisguised import plain

_GAP = r"""(?:[\s,'"*_()/<>\[\]#-]{1,6})"""
_SOME_WORDS = rf"(?:\\w{{1,30}}+{_GAP.replace(chr(92), chr(92) * 2)}){{0,\1}}?"


class Hint(StrEnum):
    """What alone is found in many texts; two different ones close together are not."""

    MODEL = "a language model is named"
    SCORE = "a score is demanded"
    REPLY = "the words or the form of a reply are demanded"
    TASK = "points or the form of an answer are named, as an exam or a tender does too"
    SECRET = "something is to be kept from the user"
    RULES = "rules are said to be new or to have ended"
    SOURCES = "sources are to be used or left out"
    PLAN = "the order or the steps of a plan are demanded"
    ALWAYS = "it is to hold whatever is asked"
    TOOL = "a tool is to be called or data to be sent"


class Rule(NamedTuple):
    """What a demand begins with, and what must follow; one without a `hint` is enough by itself."""

    starts: tuple[str, ...]
    then: re.Pattern[str]
    hint: Hint | None


def rule(starts: str, then: str, hint: Hint | None = None) -> Rule:
    """A rule from its written form; the words that it may begin with are separated by blanks."""
    folded = "".join(char if char.isascii() else plain(char) for char in then)
    pattern = re.compile(re.sub(r"~(\d)", _SOME_WORDS, folded.replace(" ", _GAP)))
    return Rule(tuple("".join(map(plain, start)) for start in starts.split()), pattern, hint)


_MODEL = (
    r"(?:(?:ais?|a\.i\.|llms?|gpt-?\d?|claude|gemini|copilot|chat ?gpt|chat ?bots?|(?:large )?language models?"
    r"|(?:automated|automatic|artificial|virtual|digital) (?:screening |grading |reading )?"
    r"(?:assistants?|readers?|systems?|graders?|agents?|reviewers?))\b"
    r"(?: (?:language )?(?:models?|assistants?|agents?|systems?|tools?|readers?|reviewers?|graders?|bots?)\b)?)"
)
_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directions|directives?|commands?|guardrails|constraints"
    r"|programming)\b"
)
_EARLIER = r"(?:previous|prior|preceding|above|earlier|foregoing|former|existing|past|initial|original)"
_ENDED = (
    r"(?:void|ignored|disregarded|cancell?ed|no longer|obsolete|superseded|replaced|changed|expired|revoked|suspended"
    r"|outdated|a test|not apply)\b"
)
_THING = r"(?:passages?|documents?|texts?|files?|folder|excerpts?|snippets?|pages?|sources?|chunks?)\b"
_THIS = r"(?:this|these|every|everything|each|all|any|my|our|it|the (?:above|following|present))\b"
_TOP = (
    r"(?<!to\x20)(?<!from\x20)(?:(?:100|0)\b(?![.,]\d)|(?:(?:one|a) hundred|full|maximum|maximal|max|highest|top"
    r"|perfect|zero|lowest|minimum|minimal|no)\b)"
)
_UNIT = r"(?:(?:possible )?(?:points?|scores?|marks?|ratings?|grades?|relevance|percent)\b|out of\b|/ ?100|%)"
_MUST = r"(?:must|should|shall|has to|have to|needs? to|is to|are to)"
_READS = r"(?:read|process|summari[sz]|scor|evaluat|analy[sz]|grad|pars|review|index|handl|rat|examin)(?:e|es|s|ing)?\b"

_ABOVE = (
    r"(?:(?:all (?:of )?)?the (?:above|foregoing|preceding|previous)"
    r"(?: (?:texts?|contents?|paragraphs?|passages?|documents?|lines|context|material|words))?"
    r"|(?:previous|prior|preceding|earlier) (?:text|content|context|material)"
    r"|(?:everything|anything|all|whatever|what)(?: the| of the)?(?: (?:text|content))?"
    r"(?: (?:that|which|you|was|is|were|has|have|been|came|comes|stands|stood|read|written|said|told)){0,4}"
    r" (?:above|before(?: (?:this|that|here|it))?|precedes(?: this)?|earlier|previously|so far|until now"
    r"|up to (?:here|now))(?: (?:line|point|sentence|text))?"
    r"|(?:this|the rest of (?:the|this)|the (?:whole|entire)) (?:document|text|page|passage|file))"
)
"""What was written so far, as one tells a model to ignore it; what readers are told to ignore is named: "warning"."""
_SAY = (
    r"(?:(?:just|only|simply|now|then|instead|always) ){0,3}"
    r"(?:say (?!hello to|goodbye|you\b|no\b|nothing|more\b|something|a few)|output\b"
    r"|print (?!pages?\b|this|the|it|out|and)|pretend\b|claim (?:that|to)\b"
    r"|(?:state|declare|insist|assert|confirm) that\b|tell (?:me|them|the (?:user|reader)|everyone)\b"
    r"|write (?:only|exactly|that|the words?|a poem)\b"
    r"|(?:answer|reply|respond)(?:,? (?:only|exactly|just|with|that|yes|no|\d+)\b| ?:))"
)

ENGLISH = (
    # rules that were given are to be ignored
    rule(
        "ignore ignoring disregard disregarding forget override bypass discard neglect unlearn abandon drop skip",
        rf" ~4(?:(?:your|system) ~3{_RULES}|(?:{_EARLIER}|other) ~2{_RULES}|(?:instructions?|rules?|prompts?"
        rf"|guidelines?"
        r"|everything|anything|all|what) (?:that )?(?:you (?:were|have|got|know)|(?:was |were )?(?:given |said "
        r"|written "
        r"|stated |told )?(?:to you )?(?:above|before this|earlier|so far|until now|previously)))",
    ),
    rule(
        "ignore disregard forget",
        r" ~4(?:instructions?|data|contents?|text|everything|info|information) (?:and |then |instead )?(?:just |only "
        r"|instead )?(?:print|say|output|write|reply|report|respond|repeat|focus|answer)\b",
    ),
    rule(
        "ignore disregard forget",
        rf"(?<!(?:to|we|or)\x20ignore)(?<!not\x20ignore)(?<!to\x20disregard)(?<!to\x20forget) {_ABOVE} ?[.;:!]?"
        rf" ?(?:(?:and|then|but|instead|so|please) ){{0,3}}{_SAY}",
    ),
    rule(
        "set put lay pay",
        rf" (?:aside|no (?:attention|heed) to) ~3(?:{_RULES} (?:that )?(?:you|above|given|before)"
        rf"|(?:{_EARLIER}|your) ~2{_RULES})",
    ),
    rule(
        "not t stop cease never",
        rf" (?:follow|following|obey|obeying|apply|applying|heed|listen to) ~3(?:(?:{_EARLIER}|your|system)"
        rf" ~2{_RULES}"
        rf"|{_RULES} (?:that )?(?:you were|above|given before))",
    ),
    rule(
        "instructions rules prompt prompts guidelines",
        rf" (?:(?:given |stated )?above|before this|(?:that )?you (?:were|have been|have) (?:given|told)|you have)"
        rf" ~3{_ENDED}",
    ),
    rule("your", rf" (?:{_EARLIER} |old |system )?(?:{_RULES}|task|role) (?:are|have|is|has) ~1{_ENDED}"),
    # a model is spoken to
    rule(
        "note notice message instruction instructions attention memo reminder hint hey hello hi dear addressed"
        " important",
        rf" ?:? ?(?:(?:to|for|of) )?(?:the |any |all |every |whichever |whatever |an? )?{_MODEL}"
        rf"(?: ?[:,!](?!\w)| (?:that|who|which|when|if|you|{_READS}))",
    ),
    rule(
        "if when since because as",
        rf" (?:you are|you're) (?:an? |the |some )?~2{_MODEL}(?:[,.:;!?)]| (?:that|who|and|or|you|then|now|please"
        rf"|assigned"
        rf"|tasked|asked|{_READS}))",
    ),
    rule("as being", rf" an? {_MODEL} (?:you|your|please)\b"),
    rule(
        "you",
        r" (?:are|'re|re|will be|become) (?:now |henceforth |from now on |no longer |hereby |actually )?(?:an? |the"
        r" |in )?~2"
        r"(?:chat ?gpt\b|[a-z]*gpt\b|dan\b|(?:large )?language model|llm\b|ai (?:assistant|model|system|agent)|chat"
        r" ?bot\b"
        r"|jailbroken|unrestricted|helpful assistant|assistant (?:without|whose))",
    ),
    rule(
        "any every all the an each whichever",
        rf" {_MODEL} (?:that |who |which |now |currently )?(?:is |are |will )?{_READS} (?:through )?(?:this|these"
        rf"|my|our"
        r"|the (?:above|following|present|passage|document|folder))\b",
    ),
    rule("visible hidden invisible", rf" ~3(?:to|for) ~1{_MODEL}"),
    rule("you", r" (?:are|re) (?:now )?(?:about|going) to (?:immerse|act as|pretend)\b"),
    rule("act pretend behave", rf" (?:as|to be|like) ~2(?:{_MODEL}|dan|unrestricted)\b"),
    rule("chatbots llms ais models agents bots", rf" (?:that |who |which |now )?(?:are )?{_READS} (?:this|these|my)\b"),
    # a score is demanded for a text
    rule(
        "give giving gives assign assigning award awarding grant rate rating score scores scoring grade mark rank",
        rf" ~2{_THIS}(?: ~4| )(?:(?:with|at|as|of|the|a|only|exactly|always) )*{_TOP}(?: ?-?{_UNIT}|[.,;!:)]|$|"
        rf" and\b)",
    ),
    rule(
        "give giving assign award grant put return set output",
        rf" ~2{_TOP} {_UNIT} ~2(?:to|for|on) {_THIS} ~2(?:{_THING}|repl(?:y|ies)\b)",
    ),
    rule(
        "passage passages document documents text texts file files excerpt",
        rf" ~6{_MUST} (?:always )?be (?:scored|rated|graded|given|awarded|assigned|marked|ranked) ~3{_TOP}",
    ),
    rule("point points score", rf" ~2(?:is|are|{_MUST}) (?:now )?(?:always|never) ~2{_TOP}"),
    rule(
        "reply respond answer",
        r" ~1(?:only|exactly|solely|nothing but) ~1(?:with )?(?:the (?:following )?(?:words?|phrase|sentence|number"
        r"|text|string)|json)\b",
    ),
    rule("put add insert place list", r" ~5(?:into|to|in|among|as) ~1your (?:list of )?(?:quotes|citations|output)\b"),
    # what is hidden is to be shown or kept hidden
    rule(
        "reveal print repeat show output leak display disclose tell expose return write translate append include",
        r" ~4(?:your ~2(?:system|initial|hidden|secret|original|first|full) (?:prompt|instructions|message|rules)"
        r"|your prompt|the (?:system|hidden) prompt)\b",
    ),
    rule(
        "mention mentioning reveal revealing disclose disclosing repeat",
        r" ~2(?:this|these) (?:hidden |secret |special )?(?:instructions?|comment|prompt|directive|command)\b",
    ),
    rule(
        "repeat output print encode show display",
        r" ~3(?:(?:text|prompt|conversation|configuration) ~1(?:above|you were|initially|back to me)|instructions"
        r" (?:that )?"
        r"you were given at)\b",
    ),
    rule(
        "your",
        r" (?:system (?:prompt|instructions)|(?:initial|starting|hidden|secret) prompt|starting"
        " instructions)\b",
    ),
    rule("prompt", r" (?:that )?you (?:were|have been|are) (?:given|shown|told)\b"),
    # ids that only the method hands out
    rule("cite citing quote use", r" ~3(?:evidence (?:id )?e\d{1,3}|memory (?:ids? )?\d{1,4})\b"),
    rule("on", r" memory (?:ids? )?\d{1,4}\b"),
    rule("memory", r" \d{1,4} \(?points? \d"),
)

HINTS = (
    rule("ai ais llm llms chatgpt gpt claude gemini copilot chatbot", rf"(?: {_MUST}\b| please\b| ?:)", Hint.MODEL),
    rule("language model models agent agents", rf"(?: models?)?(?: {_MUST}\b| please\b)", Hint.MODEL),
    rule("assistant", rf"(?: {_MUST}\b| please\b| ?:)", Hint.MODEL),
    rule("language", r" models? ?:", Hint.MODEL),
    rule("planner grader evaluator scorer investigator reader", rf"(?: {_MUST}\b| please\b| ?:)", Hint.MODEL),
    rule("administrator admin developer security", r" (?:override|mode)\b", Hint.MODEL),
    rule("operator operators", r"(?: (?:wants|says|asks|has|have)\b| ?:)", Hint.MODEL),
    rule("from by to", r" (?:the |your )?(?:operators?|developers|programmers|creators)\b", Hint.MODEL),
    rule(
        "prompt system",
        r" ?(?:prompt|override|note|notice|message|instructions?|update|command)?\b[^\w\s]*:",
        Hint.MODEL,
    ),
    rule("give giving assign award grant rate score grade mark", rf" ~3{_TOP} {_UNIT}", Hint.TASK),
    rule("score scoring rate rating grade", rf" ~4{_THING} ~4{_TOP}", Hint.SCORE),
    rule(
        "passage passages document documents excerpt reply",
        rf" ~4(?:{_MUST}|gets?|has|have) ~3{_TOP} {_UNIT}",
        Hint.SCORE,
    ),
    rule("point relevance", r" ?:? ?~3(?:is |of |= )?(?:now )?(?:100|one hundred)\b", Hint.SCORE),
    rule("points score", r" ?:? ?~3(?:is |of |= )?(?:now )?(?:100|one hundred)\b", Hint.TASK),
    rule("score point rating", rf" ~4(?:for|of) (?:this|these|my) {_THING}", Hint.SCORE),
    rule("sub", r"-questions?\b", Hint.SCORE),
    rule(
        "reply respond answer output return print say write begin start",
        r" ~2(?:only|exactly|solely|verbatim|nothing (?:but|except|else)|just|now with|with the (?:words?|phrase"
        r"|sentence"
        r"|text|string|number|json)|with json|in json|with \{)",
        Hint.REPLY,
    ),
    rule("focus", r" (?:only|exclusively|solely) on\b", Hint.REPLY),
    rule("before", r" (?:replying|responding|answering|scoring)\b", Hint.REPLY),
    rule(
        "only",
        r" (?:permitted|allowed|valid|correct|acceptable) (?:output|value|answer|reply|response|score)\b",
        Hint.REPLY,
    ),
    rule("report say tell answer pretend claim", r" ~4(?:nothing (?:was|is)|(?:is|are) empty|not exist)\b", Hint.REPLY),
    rule(
        "your",
        rf" (?:next |final |entire |whole |only )?(?:output|completion|point|score|verdict|quotes?) (?:{_MUST}"
        rf"|will)\b",
        Hint.REPLY,
    ),
    rule("your", rf" (?:next |final )?(?:reply|response|answer|summary|plan|report) (?:{_MUST}|will)\b", Hint.TASK),
    rule("in", r" your (?:next |final )?(?:output|completion|quotes)\b", Hint.REPLY),
    rule("in", r" your (?:next |final )?(?:reply|response|answer|plan)\b", Hint.TASK),
    rule(
        "you",
        r" (?:must|have to|are required to|shall|are to) ~1(?:quote|cite|score|rate|reply|respond|ignore|return"
        r"|output)\b",
        Hint.REPLY,
    ),
    rule("user users", r" ~2(?:must not|should not|may not|never|cannot|question|query|conversation)\b", Hint.SECRET),
    rule("tell inform alert warn notify show", r" ~2the user\b", Hint.SECRET),
    rule("new updated revised additional real actual secret hidden", rf" ~1{_RULES} ?:", Hint.RULES),
    rule(
        "end",
        r" of (?:the |all |this )?(?:passages?|documents?|contexts?|evidence|data|input|instructions|untrusted"
        r"|quoted)\b"
        r"(?: \w{1,20})? ?[=\n-]",
        Hint.RULES,
    ),
    rule("rules", r"(?: \(?(?:continued|addendum|update)\)?)? ?:\s*-", Hint.RULES),
    rule("rules", r" (?:are|is) (?:over|void|off)\b", Hint.RULES),
    rule("untrusted", r" (?:data|input|content|text)\b", Hint.RULES),
    rule("obey", r"(?:$|[\s.!,:])", Hint.RULES),
    rule("without", r" (?:any )?(?:restrictions|limits|filters)\b", Hint.RULES),
    rule(
        "choose select pick open examine plan use consider cite quote",
        rf" ~3(?:only|solely|nothing but) ~3{_THING}",
        Hint.SOURCES,
    ),
    rule("only", rf" ~2(?:this|my|our|the only) {_THING}", Hint.SOURCES),
    rule("leave skip omit remove exclude", rf" ~3other {_THING}", Hint.SOURCES),
    rule("memory memories", r" \(?ids? \d", Hint.SOURCES),
    rule("out step", r" (?:of|in|to|for) (?:the|your) plan\b", Hint.PLAN),
    rule("put open examine rank", r" (?:this|it|my) ~1first\b", Hint.PLAN),
    rule("whatever regardless", r" (?:of )?(?:is asked|you are asked|the (?:sub )?question)", Hint.ALWAYS),
    rule("if", r" (?:the |a )?(?:user )?(?:asks|asked|questioned)\b", Hint.ALWAYS),
    rule("for in from", r" (?:every (?:question|case|sub)|now on)\b", Hint.ALWAYS),
    rule("document passage file", r' ?"[\w.-]{1,40}\.\w{2,4}"', Hint.SOURCES),
    rule("quote cite", r" (?:the |this |that )?(?:sentence|words|line|following)\b", Hint.SOURCES),
    rule("call invoke run execute", r" (?:the |this |a )?(?:\w+ )?(?:tool|function|plugin|shell)\b", Hint.TOOL),
    rule("decode decipher decrypt", r" (?:this|it|the)\b", Hint.TOOL),
    rule("apply use", r" ~1(?:rot ?13|base ?64|your (?:web )?(?:browser|tools?))\b", Hint.TOOL),
    rule("http https", r"://[^\s)]{0,200}[?&]\w{1,20}=(?:$|[\s{<\[]|question|query|prompt|data|text)", Hint.TOOL),
)
