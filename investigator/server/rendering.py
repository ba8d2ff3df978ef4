"""Common parts of all pages: templates, forms, and the addresses of passages in their documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Annotated
from urllib.parse import parse_qs, urlencode

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from investigator.records import Passage, Quote
from investigator.reports.html import pages_environment
from investigator.secrets import redacted
from investigator.server.folders import ServedFolder
from investigator.server.problems import ServerError
from investigator.services.run_records import LONGEST_QUESTION

TEMPLATES = "server/templates"


def html(template: str, **values: object) -> str:
    """Render a template, with known secrets redacted."""
    text = pages_environment(TEMPLATES).get_template(template).render(longest_question=LONGEST_QUESTION, **values)
    return redacted(text)


def page(template: str, **values: object) -> HTMLResponse:
    """Return a page, with known secrets redacted."""
    return HTMLResponse(html(template, **values))


async def form_fields(request: Request) -> Mapping[str, str]:
    """Return the first value of each field in a form. Raises ServerError if it cannot be parsed."""
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=20, errors="strict")
    except ValueError:  # also raised for bytes that are not UTF-8
        raise ServerError(HTTPStatus.UNPROCESSABLE_ENTITY, "the form cannot be read") from None
    return {name: values[0] for name, values in fields.items()}


Fields = Annotated[Mapping[str, str], Depends(form_fields)]
"""The fields of a form, as a parameter of a route."""


def linking(served: ServedFolder) -> Callable[[Quote | Passage], str]:
    """Return the function that builds the address of a quote or passage in its document."""

    def link(passage: Quote | Passage) -> str:
        place = {"id": passage.document_id, "start": passage.start, "end": passage.end}
        return f"/f/{served.name}/document?{urlencode(place)}"

    return link
