"""Parses a request to a search server: a form with q and n; anything else gets an error message."""

from __future__ import annotations

from collections.abc import Mapping
from email.message import Message as Headers
from http import HTTPStatus
from urllib.parse import parse_qs

from fastapi import HTTPException, Request

LONGEST_QUERY = 20_000
"""Maximum number of characters in a query; a chat turn has no more."""
MOST_DOCUMENTS = 50
"""Maximum number of pages in an answer, for any n."""
_DOCUMENTS = 5
_MOST_FIELDS = 20
_FORM = "application/x-www-form-urlencoded"
ASKING = f"POST a form ({_FORM}) with q (the query) and n (the number of pages)"


async def query_of(request: Request) -> tuple[str, int]:
    """Return the query of a request and the number of pages it asks for.

    Raises HTTPException with the reason if it is not a form with these two.
    """
    body = await request.body()
    told = Headers()
    told["Content-Type"] = request.headers.get("content-type", _FORM)
    if (kind := told.get_content_type()) != _FORM:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"the request is {kind}, not a form; {ASKING}")
    form = _form(body)
    query = form["q"].strip()
    if len(query) > LONGEST_QUERY:
        raise _bad(f"q has {len(query):,} characters, more than the limit of {LONGEST_QUERY:,}")
    return query, _count(form.get("n", str(_DOCUMENTS)).strip())


def _form(body: bytes) -> Mapping[str, str]:
    try:
        form = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
    except UnicodeDecodeError:
        raise _bad("the form is not UTF-8") from None
    except ValueError:
        raise _bad(f"the form has more than {_MOST_FIELDS} fields") from None
    for name in ("q", "n"):
        if len(form.get(name, ())) > 1:
            raise _bad(f"the form has {name} more than once")
    if "q" not in form:
        raise _bad(f"the form has no q; {ASKING}")
    return {name: values[0] for name, values in form.items()}


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise _bad(f"n must be a whole number, not {text[:40]!r}; at most {MOST_DOCUMENTS} pages are returned")
    digits = text.lstrip("0") or "0"
    return min(int(digits), MOST_DOCUMENTS) if len(digits) < 9 else MOST_DOCUMENTS


def _bad(reason: str) -> HTTPException:
    return HTTPException(HTTPStatus.BAD_REQUEST, reason)
