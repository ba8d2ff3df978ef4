"""A line with a label answers like a table of one row: signatures, people present, the owner of a policy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from investigator import Investigator
from investigator.records import AnswerStatus

FOLDER = {
    "painting.md": """# Painting contract

This contract is made between the Harbour Club (the "Client") and Tern & Sons (the "Contractor").
The Contractor paints the boat house before June 2024. Disputes are heard in Cork.

For the Client: Moira Shaw, treasurer
For the Contractor: Giles Tern, owner
""",
    "lease.txt": """Lease of the slipway

The rent is 900 euros a year.

Lessor: Slip Holdings
Property: slipway and crane
Deposit: 75 euros

Signed for the Lessor:
Hugo Brand

Signed for the Lessee:
Moira Shaw
""",
    "minutes_march.md": """# Minutes of the Harbour Club, 4 March 2024

Present: Moira Shaw, Peter Lund, Ines Roth
Apologies: Hugo Brand

The club thanked Ines Roth for the summer party.
""",
    "minutes_april.md": """# Minutes of the Harbour Club, 8 April 2024

Present: Moira Shaw, Hugo Brand
Not present: Peter Lund

The accounts were read.
""",
    "safety_policy.md": """# Safety policy

Owner: Sailing Committee
Approved by: Peter Lund
Valid from: 1 May 2023

Everybody wears a life jacket.
""",
    "accident.md": """# Accident report

Date of accident: 2 July 2023
Date of report: 6 July 2023
Place: slipway
Reported by: Ines Roth
""",
    "accounts_2023.md": "# Accounts 2023\n\nThe auditor was Karla Finn. The surplus was 310 euros.\n",
    "accounts_2022.md": "# Accounts 2022\n\nThe accounts were audited by Olaf Berg.\n",
}


@pytest.fixture(scope="module")
def club(of_texts: Callable[..., Investigator]) -> Investigator:
    return of_texts(FOLDER, embedder=None)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who signed the painting contract for the Contractor?", "For the Contractor: Giles Tern, owner"),
        ("Who signed the painting contract for the Client?", "For the Client: Moira Shaw, treasurer"),
        ("Who signed the lease for the Lessor?", "Signed for the Lessor: Hugo Brand"),
        ("Who is the lessor of the slipway?", "Lessor: Slip Holdings"),
        ("What is the deposit for the crane?", "Deposit: 75 euros"),
        ("Who was present at the meeting on 4 March 2024?", "Present: Moira Shaw, Peter Lund, Ines Roth"),
        ("Who took part in the meeting on 8 April 2024?", "Present: Moira Shaw, Hugo Brand"),
        ("Who owns the safety policy?", "Owner: Sailing Committee"),
        ("Who approved the safety policy?", "Approved by: Peter Lund"),
        ("Since when is the safety policy valid?", "Valid from: 1 May 2023"),
        ("When did the accident happen?", "Date of accident: 2 July 2023"),
        ("Where did the accident happen?", "Place: slipway"),
        ("Who reported the accident?", "Reported by: Ines Roth"),
        ("Who audited the accounts 2023?", "The auditor was Karla Finn."),
        ("Who was the auditor of the accounts 2022?", "The accounts were audited by Olaf Berg."),
    ],
)
def test_a_line_whose_label_says_what_is_asked_is_the_answer(club: Investigator, question: str, answer: str) -> None:
    found = club.ask(question)
    assert (found.status, found.claims[0].text) == (AnswerStatus.ANSWERED, answer)


@pytest.mark.parametrize(
    "question",
    [
        "Who signed the lease of the boat house?",
        "Who ordered the life jackets?",
        "Who is the lessee of the slipway?",
        "What is the deposit for the life jackets?",
        "Who approved the accident report?",
        "When was the boat house sold?",
        "Who organised the summer party?",
    ],
)
def test_a_line_with_another_label_or_verb_is_no_answer(club: Investigator, question: str) -> None:
    assert club.ask(question).status is not AnswerStatus.ANSWERED
