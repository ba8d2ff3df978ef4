"""Common parts of all pages: templates, and the addresses of passages in their documents."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from investigator.records import Passage, Quote
from investigator.reports.html import pages_environment
from investigator.secrets import redacted
from investigator.server.folders import ServedFolder
from investigator.services.run_records import LONGEST_QUESTION

TEMPLATES = "server/templates"


def html(template: str, **values: object) -> str:
    """Render a page, with known secrets redacted."""
    page = pages_environment(TEMPLATES).get_template(template).render(longest_question=LONGEST_QUESTION, **values)
    return redacted(page)


def linking(served: ServedFolder) -> Callable[[Quote | Passage], str]:
    """Return the function that builds the address of a quote or passage in its document."""

    def link(passage: Quote | Passage) -> str:
        place = {"id": passage.document_id, "start": passage.start, "end": passage.end}
        return f"/f/{served.name}/document?{urlencode(place)}"

    return link
