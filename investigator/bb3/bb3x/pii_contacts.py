"""Finds contact details (e-mail addresses, links that name a user, handles) and home addresses (a street with a house
number, or a PO box, with the postal code that follows).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl

from investigator.bb3.bb3x.pii import Pii, PiiSpan

_EMAILS = (
    re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"),
    re.compile(
        r"(?<![\w.+-])[\w.+-]{1,64}\s?[(\[{]\s?at\s?[)\]}]\s?[\w-]{1,63}(?:\s?(?:[(\[{]\s?(?:dot|punkt|point)\s?[)\]}]|\.)\s?[\w-]{1,63}){1,4}",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![\w.+-])[\w.+-]{1,64} at [\w-]{1,63}(?: dot [\w-]{1,63}){1,4}", re.IGNORECASE),
)

_LINK = re.compile(
    r"(?P<scheme>\b(?:https?|s?ftp)://)(?P<login>[^\s/@]{1,200}@)?(?P<host>[\w.-]{1,253})(?P<rest>[:/?#]\S{0,2000})?"
    r"|(?<![\w@./-])(?P<bare>(?:[\w-]{1,63}\.){1,4}[a-z]{2,10})(?P<path>/\S{1,2000})",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?)]}>'\"»”’"
_PROFILES = (
    *("facebook.com", "fb.com", "instagram.com", "twitter.com", "x.com", "tiktok.com", "snapchat.com", "t.me"),
    *("vk.com", "linkedin.com", "xing.com", "pinterest.com", "threads.net", "patreon.com", "onlyfans.com"),
    *("soundcloud.com", "twitch.tv", "wa.me", "paypal.me", "venmo.com", "linktr.ee"),
)
_REPOSITORIES = ("github.com", "gitlab.com", "codeberg.org", "huggingface.co")
_USER_PATH = re.compile(r"/(?:users?|u|profiles?|members?|accounts?|customers?|in|~)/[^/\s]|/[~@][^/\s]", re.IGNORECASE)
_USER_FIELDS = frozenset(
    {
        *("user", "userid", "user_id", "username", "uid", "account", "accountid", "account_id", "email"),
        *("mail", "e-mail", "phone", "tel", "token", "access_token", "session", "sessionid", "session_id"),
        *("sid", "auth", "key", "api_key", "apikey", "customer", "customer_id", "member", "member_id"),
        *("password", "pw", "invite"),
    }
)

_HANDLE = re.compile(r"(?<![\w@./])@[^\W\d]\w[\w.]{1,28}\w")
_NETWORK = re.compile(
    r"\b(?:twitter|insta|instagram|ig|tiktok|telegram|snap|snapchat|discord|mastodon|threads|bluesky|youtube|twitch|handle|"
    r"follow|dm|username|folg\w*|suis-moi|suivez)\b",
    re.IGNORECASE,
)

_UP = "[A-ZÀ-ÖØ-ÞŁŚŻŠČŽ]"
_NUMBER = r"(?P<number>\d{1,5}[a-zA-Z]?)"
_UNIT = r"(?:,?\s+(?i:apt|apartment|suite|unit|flat|floor|room|#)\.?\s*(?P<unit>#?\w{1,6}))?"
_ENGLISH_KIND = (
    r"(?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|way|square|sq|terrace|place|pl|highway|hwy|"
    r"crescent|close|parkway|pkwy|circle|cir|trail|alley|gardens|grove|mews|walk|row)\b\.?"
)
_US_END = rf"(?:,?\s+{_UP}[\w.]*(?:\s{_UP}[\w.]*){{0,2}})?(?:,?\s+[A-Z]{{2}})?(?:,?\s+(?P<zip>\d{{5}}(?:-\d{{4}})?)\b)?"
_CONTINENTAL_END = r"(?:\s*,?\s+(?:[A-Z]{1,2}-)?(?P<zip>\d{4,5})(?=\s+[^\W\d_]))?"
_GERMAN_TIMES = (
    r"(?:Jahr|Tag|Ende|Anfang|Abend|Morgen|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|"
    r"Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonnabend|Sonntag)"
)

_PATTERNS = (
    re.compile(
        rf"(?<![\w.,$€£-]){_NUMBER}\s+(?P<street>(?:(?:{_UP}[\w'’.-]*|\d{{1,3}}(?:st|nd|rd|th))\s+){{1,4}}"
        rf"(?i:{_ENGLISH_KIND})){_UNIT}{_US_END}"
    ),
    re.compile(
        r"\b(?i:live|lives|living|house|home|address|moved|move|stay|staying|send|ship|deliver|mail)\b[^.!?\d]{0,30}?"
        rf"\b{_NUMBER}\s+(?P<street>(?:[^\W\d_][\w'’-]*\s+){{1,3}}(?i:{_ENGLISH_KIND})){_UNIT}{_US_END}"
    ),
    re.compile(
        rf"(?P<street>\b(?:{_UP}[\w.]*[ -]){{0,3}}{_UP}[\wäöüß]*"
        r"(?:[ -](?i:straße|strasse|str\.|weg|allee|gasse)|-(?i:platz|ring)|"
        r"(?:straße|strasse|str\.|weg|platz|allee|gasse|damm|chaussee|graben))"
        r"|\b(?:Am|An der|Auf der|Auf dem|Unter den|Hinter dem|Hinter der)"
        rf"(?:\s(?!{_GERMAN_TIMES}){_UP}[\wäöüß-]+){{1,3}})"
        rf"\s+(?P<number>\d{{1,4}}(?:\s?[a-h])?)\b(?![.:,]\d|\.?\s?(?:%|Uhr|Euro|Grad|Jahre)){_CONTINENTAL_END}"
    ),
    re.compile(
        rf"(?<![\w.,-])(?P<number>\d{{1,4}}(?:\s?(?:bis|ter|quater))?),?\s+(?P<street>(?i:rue|avenue|av\.|boulevard|bd|place|"
        r"impasse|chemin|allée|quai|cours|route|square|passage)\s+"
        r"(?:(?:de la|de l['’]|des|du|de|d['’]|la|le|les|l['’])\s*)?"
        rf"{_UP}[\w'’-]*(?:[ -](?:de |du |des |la |le )?{_UP}[\w'’-]*){{0,3}}){_CONTINENTAL_END}"
    ),
    re.compile(
        rf"\b(?P<street>(?i:calle|avenida|avda\.|via|viale|piazza|plaza|rua|corso)\s+(?:(?:de|del|della|dei|la|las|los|di|da|do)\s+){{0,2}}"
        rf"{_UP}[\w'’-]*(?:\s{_UP}[\w'’-]*){{0,3}}|{_UP}\w*(?:straat|laan|gracht|plein|kade)),?\s+(?P<number>\d{{1,4}}[a-zA-Z]?)\b"
        rf"{_CONTINENTAL_END}"
    ),
    re.compile(
        rf"\b(?P<street>(?:{_UP}[\w.]*[ -]){{0,3}}"
        rf"(?:{_UP}[\wæøåäö]*(?:gata|gatan|gaten|vei|veien|vegen|väg|vägen|vej|vejen|plassen|torget|torvet|gränd|stræde|katu)"
        rf"|{_UP}(?!rigade|enegade)[\wæøåäö]*gade|{_UP}\w*s (?:gate|gade|vei|vej|veg|väg|plass|plads|plats|allé)))"
        rf"\s+(?P<number>\d{{1,4}}(?:\s?[A-Ha-h])?)\b(?![.:,]\d){_CONTINENTAL_END}"
    ),
)
_BOX = re.compile(r"\b(?i:p\.?\s?o\.?\s?box|postfach|boîte postale|apartado)\s+(?P<number>\d[\d ]{0,8}\d|\d)\b")
_BRITISH_CODE = re.compile(r"\b(?:[A-Z]{1,2}\d[A-Z\d]?) \d[A-Z]{2}\b")

_KINDS = {
    "number": Pii.HOUSE_NUMBER,
    "street": Pii.ADDRESS,
    "unit": Pii.HOUSE_NUMBER,
    "zip": Pii.POSTAL_CODE,
}


def contacts_in(text: str) -> Iterator[PiiSpan]:
    """Yield e-mail addresses, user names in links, and, if the text mentions a social network, handles."""
    yield from _links(text)
    for pattern in _EMAILS:
        yield from (PiiSpan(*found.span(), Pii.EMAIL) for found in pattern.finditer(text))
    if _NETWORK.search(text):
        yield from (PiiSpan(*found.span(), Pii.HANDLE) for found in _HANDLE.finditer(text))


def _links(text: str) -> Iterator[PiiSpan]:
    """Yield the part of a link that identifies a user: everything from the login on, or the part after the host."""
    for found in _LINK.finditer(text):
        group = "rest" if found["host"] else "path"
        rest = (found[group] or "").rstrip(_TRAILING)
        host = (found["host"] or found["bare"]).lower()
        if found["login"]:
            end = found.start(group) + len(rest) if found[group] else found.end()
            yield PiiSpan(found.start("login"), end, Pii.LINK)
        elif _names_a_user(host, rest):
            start = found.start(group)
            yield PiiSpan(start + rest.startswith("/"), start + len(rest), Pii.LINK)


def _names_a_user(host: str, rest: str) -> bool:
    path, _, query = rest.partition("?")
    segments = [part for part in path.partition("#")[0].split("/") if part and not part.startswith("[")]
    if _of(host, _PROFILES) and segments:
        return True
    if _of(host, _REPOSITORIES) and len(segments) == 1:
        return True
    fields = parse_qsl(query.partition("#")[0], keep_blank_values=True)
    return bool(_USER_PATH.search(path)) or any(name.lower() in _USER_FIELDS or "@" in value for name, value in fields)


def _of(host: str, domains: tuple[str, ...]) -> bool:
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


def addresses_in(text: str) -> Iterator[tuple[str, tuple[PiiSpan, ...]]]:
    """Yield each address as a pair: its number and street as written, and its findings."""
    if not any(char.isdecimal() for char in text):
        return
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            parts = tuple(
                PiiSpan(*found.span(name), kind) for name, kind in _KINDS.items() if found.groupdict().get(name)
            )
            start = min(found.start("number"), found.start("street"))
            yield text[start : max(found.end("number"), found.end("street"))], parts
    for found in _BOX.finditer(text):
        yield found.group(), (PiiSpan(*found.span("number"), Pii.POSTAL_CODE),)
    for found in _BRITISH_CODE.finditer(text):
        yield found.group(), (PiiSpan(*found.span(), Pii.ADDRESS),)
