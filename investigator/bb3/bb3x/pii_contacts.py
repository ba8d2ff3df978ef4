"""Finds contact details on the network: e-mail addresses, links that name a user, handles."""

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


def contacts_in(text: str) -> Iterator[PiiSpan]:
    """Return e-mail addresses, user names in links, and handles near names of social networks."""
    yield from _links(text)
    for pattern in _EMAILS:
        yield from (PiiSpan(*found.span(), Pii.EMAIL) for found in pattern.finditer(text))
    if _NETWORK.search(text):
        yield from (PiiSpan(*found.span(), Pii.HANDLE) for found in _HANDLE.finditer(text))


def _links(text: str) -> Iterator[PiiSpan]:
    """Return the part of a link after the host; if it has a login, everything from the login on."""
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
