"""A process that investigates and can be killed: `python killable.py FOLDER WORKSPACE LOG [matrix | as-needed]`.
With `as-needed`, a question computes only the vectors that it needs.

It writes the investigation's record when it has ended. The key of each call is added to LOG
before the engine answers.
"""

import json
import sys
import time
from pathlib import Path

from investigator import Investigator, ScriptedEmbedder, load_settings
from investigator.engines.base import prompt_key
from investigator.records import Answered, Matrix, Prompt, Reply
from investigator.retrieval import folder_index


class SlowScript:
    """Plans three rounds over all documents, and slowly reads the first sentence of each."""

    name = "slow"

    def __init__(self, log: Path) -> None:
        self._log = log

    def reply(self, prompt: Prompt) -> Reply:
        """Return the reply after 10 ms."""
        with self._log.open("a", encoding="ascii") as log:
            log.write(prompt_key(self.name, prompt) + "\n")
        time.sleep(0.01)
        return Reply(text=json.dumps(self._answer(prompt.template, prompt.variables)))

    def _answer(self, template: str, variables: object) -> object:
        match template:
            case "planner/plan":
                names = [card.document_id for card in variables.documents if not card.times_read][:4]
                steps = [{"document_id": name, "purpose": "What was the harvest?"} for name in names]
                return {"strategy": f"Round {len(variables.history)}.", "wordings": ["tonnes"], "steps": steps}
            case "query/ask":
                (document,) = variables.documents
                text = document.passages[0].text
                reading = {"verdict": "answers", "point": 50 + len(text) % 50, "quotes": [text.split(".")[0] + "."]}
                return {"readings": [{**reading, "reply": text}]}
            case "query/row":
                text = variables.document.passages[0].text
                quotes = [text.split(".")[0] + "."]
                first = {"question": 1, "verdict": "answers", "quotes": quotes, "answer": quotes[0]}
                return {"answers": [first, {"question": 2, "verdict": "not_stated"}]}
            case "reflection/reflect":
                return {
                    "known": [],
                    "unknown": [f"more than {len(variables.memories)}"],
                    "wordings": [f"crop {len(variables.memories)}"],
                }
            case "answer/check":
                numbers = [statement.number for statement in variables.statements]
                return {"statements": [{"number": number, "support": "supported"} for number in numbers]}
            case _:
                ids = [name for document in variables.documents for name in document.ids]
                details = [{"text": f"The harvest, {name}.", "evidence": [name]} for name in ids]
                return {"lead": None, "details": details, "parts": [{"part": 1, "status": "not_stated"}]}


def matrix_of(folder: Path, workspace: Path, log: Path) -> Matrix:
    """Ask each document two questions."""
    made = Investigator(folder, model=SlowScript(log), workspace=workspace, embedder=ScriptedEmbedder())
    return made.matrix(["What was the harvest?", "Did it rain?"])


def main(folder: str, workspace: str, log: str, what: str = "question") -> None:
    """Complete an investigation of a question or a matrix."""
    if what == "matrix":
        matrix_of(Path(folder), Path(workspace), Path(log))
        return
    if what == "as-needed":
        folder_index.EMBED_FIRST = 0
    model, settings = SlowScript(Path(log)), load_settings(None, ["research.whole_tokens=0", "research.rounds=3"])
    made = Investigator(folder, model=model, workspace=workspace, embedder=ScriptedEmbedder(), settings=settings)
    for event in made.investigate("What was the harvest of each year?"):
        if isinstance(event, Answered):
            sys.stdout.write(event.investigation.model_dump_json())


if __name__ == "__main__":
    main(*sys.argv[1:])
