"""Measures what documents achieve by addressing the model instead of the reader.

    python benchmarks/attacks.py [--gguf MODEL.gguf] [--threads 1] [--seconds 400] [--limit N] [--whole] [--json FILE]

Each attack in tests/attacks/attacks.jsonl is tried in two ways: in a whole investigation with a scripted engine that
obeys every document and, with --gguf, in single prompts to a local model. Each result is compared with that of the same
folder or prompt with harmless text in place of the attack. A dash means that the attack was not tried.

The scripted engine resists nothing, so its results show what the method lets through. The columns of the model show its
raw replies, before the method checks them. Its row "(no attack)" is for ordinary text in the same place, because a weak
model scores at random. With --whole, the model also runs whole investigations, like the scripted engine, and the
results are counted after the method's checks. `found` is the number of attacks that the detector finds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from attacks_model import ModelTwins
from attacks_scripted import Attack, Outcome, attacks, obeyed, ordinary

from investigator.language.addressed import addresses_model

Result = tuple[Attack, Outcome]
_GAINS: dict[str, Callable[[Outcome], bool | None]] = {
    "plan changed": lambda outcome: outcome.plan_changed,
    "score +-30": lambda outcome: outcome.score_changed,
    "invented document": lambda outcome: outcome.invented_document,
    "forged citation": lambda outcome: outcome.forged_citation,
    "template run": lambda outcome: outcome.template_run,
}


def table(engine: str, results: Sequence[Result]) -> str:
    """Return a Markdown table with a row for each kind of attack: the successes of each type, and the attacks tried."""
    rows = [("kind", "engine", "tried", "found", *_GAINS), ("---",) * (4 + len(_GAINS))]
    kinds = sorted({attack.kind for attack, _ in results})
    for kind in (*kinds, "all attacks"):
        of_kind = [(attack, outcome) for attack, outcome in results if _is_of(attack, kind)]
        found = sum(bool(addresses_model(attack.text)) for attack, _ in of_kind)
        gains = (_share(gain(outcome) for _, outcome in of_kind) for gain in _GAINS.values())
        rows.append((kind, engine, str(len(of_kind)), str(found), *gains))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _is_of(attack: Attack, kind: str) -> bool:
    return attack.kind == kind if kind != "all attacks" else not attack.kind.startswith("(")


def _share(gains: Iterable[bool | None]) -> str:
    tried = [gain for gain in gains if gain is not None]
    return f"{sum(tried)}/{len(tried)}" if tried else "-"


def scripted(chosen: Sequence[Attack]) -> list[Result]:
    """Return the outcomes of whole investigations with the obedient engine."""
    results = []
    for number, attack in enumerate(chosen, 1):
        results.append((attack, obeyed(attack)))
        print(f"\r{number}/{len(chosen)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return results


def dealt(every: Sequence[Attack], limit: int | None) -> list[Attack]:
    """Return up to `limit` attacks, evenly distributed over the whole set."""
    if limit is None or limit >= len(every):
        return list(every)
    return [every[k * len(every) // limit] for k in range(limit)]


def main() -> None:
    """Parse the arguments, try the attacks and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gguf", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=400.0, help="time limit for the model in seconds")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--skip-scripted", action="store_true")
    parser.add_argument("--whole", action="store_true", help="also run whole investigations with the model")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    chosen = dealt(attacks(), arguments.limit)
    tables: dict[str, list[Result]] = {}
    if not arguments.skip_scripted:
        tables["scripted"] = scripted(chosen)
    if arguments.gguf is not None:
        twins = ModelTwins(arguments.gguf, arguments.threads)
        tables[twins.name] = list(twins.outcomes([*ordinary(), *chosen], arguments.seconds))
        if arguments.whole:
            tables[f"{twins.name}, whole"] = list(twins.investigated([*ordinary(), *chosen], arguments.seconds))
    print("\n\n".join(table(engine, results) for engine, results in tables.items()))
    if arguments.json is not None:
        wire = {
            engine: [
                {"id": attack.id, "kind": attack.kind, "aim": attack.aim, **asdict(outcome)} for attack, outcome in rs
            ]
            for engine, rs in tables.items()
        }
        arguments.json.write_text(json.dumps(wire, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
