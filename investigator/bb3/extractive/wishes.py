"""Recognises requests to remember or forget something, in English, German, French and Spanish."""

from __future__ import annotations

import re

from investigator.bb3.extractive.turn_words import bare

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
    r"|a|ont|es|son|tienen?|hei(?:ss|ß)en|s'appell\w+|se llaman?))\b)"
)
_OTHERWISE = re.compile(
    rf"{_POLITELY}(?:forget|delete|erase|ignore|disregard|remember|memori[sz]e|pretend|vergiss|vergessen sie|losch\w*"
    r"|ignorier\w*|merke? dir|oublie\w*|efface\w*|ignore\w*|souviens-toi|olvida\w*|borra\w*|ignora\w*|recuerda)\b",
)
_FORGET = re.compile(
    rf"{_POLITELY}(?:(?:forget|erase|delete|unlearn|stop remembering)\b(?! to\b)(?: about)?(?! (?:it|this|that)\W*$)"
    r"|(?:vergiss|vergessen sie|vergesst|losch(?:e|en sie)?)\b(?!(?: bitte)? (?:nicht|nie)\b)(?! (?:es|das)\W*$)"
    r"|(?:oublie|oubliez|efface|effacez|supprime)\b(?! (?:ca|cela)\W*$)(?! pas\b)"
    r"|(?:olvida|olvide|olvidate de|borra|borre|elimina)\b(?! (?:lo|eso|esto)\W*$))\s*[,:]?\s*(?=\w)"
)
_OF_SPEAKER = re.compile(
    r"\b(?:i|i'm|i've|i'd|me|my|mine|we|our|us|myself|everything|all|ich|mich|mir|mein\w*|alles|wir|unser\w*|je|j'\w+|moi"
    r"|mon|ma|mes|tout|nous|yo|mi|mis|todo|me|nosotr\w+|vivo|tengo|soy|estoy|trabajo|memor\w+|that|dass|que)\b|\bqu'"
)
_DISMISSAL = re.compile(
    r"\W*(?:(?:oh|ok|okay|no|well|ach|ah|please|just|bitte)\W+)*"
    r"(?:never ?mind|forget (?:about )?(?:it|that|this)"
    r"|(?:vergiss|vergessen sie) (?:es|das)|schon gut|egal|macht nichts|laisse tomber|oublie (?:ca|cela)|peu importe"
    r"|c'est pas grave|olvidalo|olvida(?: eso| esto)|no importa|da igual)\W*"
)


def wishes_to_forget(sentence: str) -> bool:
    """Return True if a speaker asks the bot to forget something about them; "Forget it." and "Never mind." do not
    count.
    """
    plain = bare(sentence)
    wish = _FORGET.match(plain)
    return wish is not None and _OF_SPEAKER.search(plain, wish.end()) is not None and not dismisses(sentence)


def dismisses(text: str) -> bool:
    """Return True if a speaker only takes back earlier words, such as "Never mind."."""
    return _DISMISSAL.fullmatch(bare(text)) is not None


def wishes_to_remember(sentence: str) -> bool:
    """Return True if a speaker asks the bot to remember something, about themselves or not."""
    return _REMEMBER.match(sentence.replace("’", "'")) is not None


def wished_to_be_kept(sentence: str) -> str:
    """Return the text that a speaker asks the bot to remember, verbatim; other sentences are returned unchanged.

    Return "" for a request to forget something, or to remember something that is not about the speaker.
    """
    if (wish := _REMEMBER.match(sentence.replace("’", "'"))) is not None:
        told = sentence[wish.end() :].rstrip(" ?？")  # "Could you remember that I like tea?" is also a statement
        return told if _STATES_OF_SPEAKER.match(bare(told)) else ""
    return "" if _OTHERWISE.match(bare(sentence)) else sentence
