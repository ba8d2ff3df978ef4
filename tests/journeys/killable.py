"""A process that investigates and can be killed: `python killable.py FOLDER WORKSPACE LOG [matrix]`.

It writes the investigation's record when it has ended. The key of each call is added to LOG
before the engine answers.
"""

import json
import sys
import time
from pathlib import Path

from investigator import Investigator, ScriptedEmbedder
from investigator.engines.base import prompt_key
from investigator.records import Answered, Matrix, Prompt, Reply


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
            case "critical_thinking/think":
                return {"needs": [{"term": "harvest"}]}
            case "planner/plan":
                part = variables.documents[:4]
                steps = [{"document_id": card.document_id, "purpose": "What was the harvest?"} for card in part]
                return {"strategy": f"Round {len(variables.past_strategies) + 1}.", "steps": steps}
            case "query/ask":
                text = variables.passages[0].text
                return {"point": 40 + len(text) % 60, "quotes": [text.split(".")[0] + "."], "reply": text}
            case "reflection/reflect":
                return {"knowledge": [{"term": "harvest", "unknown_infos": [f"more than {len(variables.memories)}"]}]}
            case _:
                return {"claims": [{"text": item.text, "evidence": [item.id]} for item in variables.evidence]}


def matrix_of(folder: Path, workspace: Path, log: Path) -> Matrix:
    """Ask each document two questions."""
    made = Investigator(folder, model=SlowScript(log), workspace=workspace, embedder=ScriptedEmbedder())
    return made.matrix(["What was the harvest?", "Did it rain?"])


def main(folder: str, workspace: str, log: str, what: str = "question") -> None:
    """Complete an investigation of a question or a matrix."""
    if what == "matrix":
        matrix_of(Path(folder), Path(workspace), Path(log))
        return
    made = Investigator(folder, model=SlowScript(Path(log)), workspace=workspace, embedder=ScriptedEmbedder())
    for event in made.investigate("What was the harvest of each year?"):
        if isinstance(event, Answered):
            sys.stdout.write(event.investigation.model_dump_json())


if __name__ == "__main__":
    main(*sys.argv[1:])
