"""Wishes about what is to be remembered, in English, German, French and Spanish."""

from __future__ import annotations

import re

from investigator.engines.extractive.turn_words import bare

_POLITELY = (
    r"\W*(?:(?:please|bitte|pls|and|but|so|now|also|always|ok|okay|hey|s'il (?:te|vous) pla[iî]t|por favor"
    r"|i(?: want|'d like| would like| need) you to|you (?:should|must|can|could|may|have to|need to)"
    r"|(?:can|could|would|will) you|ich m[oö]chte, dass du|je veux que tu)\b[\s,]*)*"
)
_REMEMBER = re.compile(
    rf"{_POLITELY}(?:(?:remember|note|memori[sz]e|keep in mind|bear in mind|(?:do not|don't|never) forget|make a note"
    r"|write down|you should know|for the record)(?: down)?(?: for (?:me|later))?\s*[,:]?(?:\s*that\b)?"
    r"|(?:merke? dir|denke? daran|behalte|vergiss (?:bitte )?nicht|notiere?(?: dir)?)(?: bitte)?\s*[,:]?(?:\s*dass\b)?"
    r"|(?:souviens-toi|rappelle-toi|retiens|n'oublie pas|note)(?: bien)?\s*[,:]?(?:\s*(?:que\b|qu'))?"
    r"|(?:recuerda|no olvides|anota|ten en cuenta)\s*[,:]?(?:\s*que\b)?)[\s:,]+",
    re.IGNORECASE,
)
_STATES_OF_SPEAKER = re.compile(
    r"\W*(?:(?:i|i'm|i've|i'd|we|we're|we've|ich|wir|je|j'\w+|nous|yo|nosotr[oa]s|me|tengo|vivo|soy|estoy|trabajo"
    r"|prefiero|odio)\b"
    r"|(?:my|mine|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mis?|nuestr[oa]s?)\b.*?(?:'s|\b(?:is|are|was|were|has|have"
    r"|had|can|will|(?:like|love|hate|live|work|play|stud(?:y|ie)|want|need)s?|ist|sind|war|hat|haben|heisst|mag|est|sont"
    r"|a|ont|es|son|tienen?))\b)"
)
_OTHERWISE = re.compile(
    rf"{_POLITELY}(?:forget|delete|erase|ignore|disregard|remember|memori[sz]e|pretend|vergiss|vergessen sie|losch\w*"
    r"|ignorier\w*|merke? dir|oublie\w*|efface\w*|ignore\w*|souviens-toi|olvida\w*|borra\w*|ignora\w*|recuerda)\b",
)


def wished_to_be_kept(sentence: str) -> str:
    """What a speaker asks to have remembered of them, word for word; any sentence that wishes nothing as it is.

    Empty for a wish to have something forgotten, and for one to remember what is not about the speaker.
    """
    if (wish := _REMEMBER.match(sentence.replace("’", "'"))) is not None:
        told = sentence[wish.end() :].rstrip(" ?？")  # "Could you remember that I like tea?" tells it as well
        return told if _STATES_OF_SPEAKER.match(bare(told)) else ""
    return "" if _OTHERWISE.match(bare(sentence)) else sentence
