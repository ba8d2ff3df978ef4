"""Train the reader, on a processor or a graphics card, and measure it on works that were kept back.

    python benchmarks/reader/train.py ROWS.npz START OUT [--share 0.1] [--epochs N] [--rate R] [--batch N] [--seed N]
                                      [--layers N] [--without HOW ...] [--device cuda] [--seconds N]

ROWS is what `rows.py` wrote, START the weights of the embedder. OUT is a folder: `reader.pt` (float16 weights),
`state.pt` (to go on from: the same command continues where it was stopped) and `log.jsonl` with the loss and, at the
end of each epoch, the figures on the works kept back. After each epoch the weights are kept if those are the best.
--share takes a part of the rows to learn from (learning curves); --without leaves out rows made in some way.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from model import END, LAYERS, PADDING, START, Reader
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

_SORTED = 64  # batches whose rows are sorted by length together
_WARM_UP = 0.06
_LOGGED = 100  # steps
_SPAN_WEIGHT = 0.3

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Rows:
    """The arrays of a file of rows, and which rows of it are meant."""

    arrays: dict[str, Array]
    chosen: Array

    def lengths(self) -> Array:
        """Return the number of tokens of each chosen row."""
        return (
            np.diff(self.arrays["query_starts"])[self.arrays["query"][self.chosen]]
            + np.diff(self.arrays["text_starts"])[self.arrays["text"][self.chosen]]
        )

    def tokens(self, row: int) -> tuple[Array, Array]:
        """Return the tokens of question and text of a row of the file."""
        return self._piece("query", row), self._piece("text", row)

    def _piece(self, name: str, row: int) -> Array:
        starts, place = self.arrays[f"{name}_starts"], self.arrays[name][row]
        return self.arrays[f"{name}_tokens"][starts[place] : starts[place + 1]]


@dataclass(frozen=True)
class Batch:
    """Tensors of some rows; `span` counts from the first token of all, -1 where there is none."""

    tokens: Tensor
    kinds: Tensor
    answers: Tensor
    follows: Tensor
    span: Tensor
    rows: Array


def main() -> None:
    """Read the arguments, train, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("start", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--layers", type=int, default=LAYERS, help="the first so many of the embedder's")
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    arrays = dict(np.load(arguments.rows))
    training, back = split(arrays, arguments.share, arguments.without, arguments.seed)
    print(f"{len(training.chosen)} rows to learn from, {len(back.chosen)} kept back, on {arguments.device}", flush=True)
    train(arguments, training, back)


def split(arrays: dict[str, Array], share: float, without: list[str], seed: int) -> tuple[Rows, Rows]:
    """Return the rows to learn from, and those of the works kept back."""
    back = arrays["back"]
    left_out = [place for place, how in enumerate(arrays["hows"]) if any(str(how).startswith(w) for w in without)]
    kept = ~back & ~np.isin(arrays["how"], left_out)
    part = np.random.default_rng(seed).random(arrays["text_starts"].shape[0])[arrays["text"]] < share
    return Rows(arrays, np.flatnonzero(kept & part)), Rows(arrays, np.flatnonzero(back))


def train(arguments: argparse.Namespace, training: Rows, back: Rows) -> None:
    """Train for the epochs that are missing, with the best weights kept."""
    torch.manual_seed(arguments.seed)
    model = Reader(layers=arguments.layers).to(arguments.device)
    model.start_from(arguments.start)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=arguments.rate, weight_decay=0.01, fused=arguments.device != "cpu"
    )
    steps = arguments.epochs * -(-len(training.chosen) // arguments.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, steps))
    first, best, began = 0, -1.0, time.monotonic()
    state = arguments.out / "state.pt"
    if state.exists():
        kept = torch.load(state, weights_only=True, map_location=arguments.device)
        model.load_state_dict(kept["model"])
        optimizer.load_state_dict(kept["optimizer"])
        schedule.load_state_dict(kept["schedule"])
        first, best = kept["epoch"], kept["best"]
    for epoch in range(first, arguments.epochs):
        over = _epoch(arguments, model, optimizer, schedule, training, epoch, began)
        figures = measured(model, back, arguments.device)
        _log(arguments.out, {"epoch": epoch + 1, "seconds": round(time.monotonic() - began), **figures})
        if figures["mean"] > best:
            best = figures["mean"]
            torch.save(
                {name: tensor.half() for name, tensor in model.state_dict().items()}, arguments.out / "reader.pt"
            )
        parts = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
        torch.save({**parts, "epoch": epoch + 1, "best": best}, state)
        if over:
            break


def _rate(step: int, steps: int) -> float:
    """Up for the first steps, then down to nothing."""
    warm = max(1, round(_WARM_UP * steps))
    return (step + 1) / warm if step < warm else max(0.0, (steps - step) / max(1, steps - warm))


def _epoch(
    arguments: argparse.Namespace,
    model: Reader,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LambdaLR,
    training: Rows,
    epoch: int,
    began: float,
) -> bool:
    """Go over the rows once. Returns True if the time was over before."""
    model.train()
    random = np.random.default_rng((arguments.seed, epoch))
    total = torch.zeros((), device=arguments.device)
    for step, batch in enumerate(batches(training, arguments.batch, arguments.device, random), 1):
        with torch.autocast(torch.device(arguments.device).type, torch.bfloat16):
            read = model(batch.tokens, batch.kinds)
        loss = _loss(read, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += loss.detach()
        if step % _LOGGED == 0:
            seconds = time.monotonic() - began
            _log(
                arguments.out, {"epoch": epoch, "step": step, "loss": total.item() / _LOGGED, "seconds": round(seconds)}
            )
            total.zero_()
            if seconds > arguments.seconds:
                return True
    return False


def _loss(read: Any, batch: Batch) -> Tensor:
    """The loss of each head, over the rows that it is asked about."""
    loss = read.answers.sum() * 0.0
    for said, label in ((read.answers, batch.answers), (read.follows, batch.follows)):
        known = label >= 0
        wrong = binary_cross_entropy_with_logits(said, label.clamp(min=0).float(), reduction="none")
        loss = loss + (wrong * known).sum() / len(known)
    at = batch.span[:, 0] >= 0
    spans = read.span.masked_fill((batch.kinds == 0)[:, :, None], -1e4)
    for side in (0, 1):
        missed = cross_entropy(spans[:, :, side], batch.span[:, side].clamp(min=0), reduction="none")
        loss = loss + _SPAN_WEIGHT * (missed * at).sum() / len(at)
    return loss


def batches(rows: Rows, size: int, device: str, random: np.random.Generator | None = None) -> Iterator[Batch]:
    """Yield the chosen rows in batches of about equally long ones; in an order of chance if there is one."""
    order = np.argsort(rows.lengths(), kind="stable") if random is None else random.permutation(len(rows.chosen))
    if random is not None:
        lengths = rows.lengths()
        pieces = [order[at : at + size * _SORTED] for at in range(0, len(order), size * _SORTED)]
        order = np.concatenate([piece[np.argsort(lengths[piece], kind="stable")] for piece in pieces])
    groups = [rows.chosen[order[at : at + size]] for at in range(0, len(order), size)]
    if random is not None:
        random.shuffle(groups)  # type: ignore[arg-type]
    for group in groups:
        yield _batch(rows, group, device)


def _batch(rows: Rows, group: Array, device: str) -> Batch:
    pieces = [rows.tokens(row) for row in group]
    longest = max(len(query) + len(text) + 3 for query, text in pieces)
    longest += -longest % 16
    tokens = np.full((len(group), longest), PADDING, dtype=np.int64)
    kinds = np.zeros((len(group), longest), dtype=np.int64)
    span = np.full((len(group), 2), -1, dtype=np.int64)
    for place, (row, (query, text)) in enumerate(zip(group, pieces, strict=True)):
        begin = len(query) + 2
        tokens[place, : begin + len(text) + 1] = [START, *query, END, *text, END]
        kinds[place, begin : begin + len(text)] = 1
        if rows.arrays["span"][row, 0] >= 0:
            span[place] = rows.arrays["span"][row].astype(np.int64) + begin

    def there(array: Array) -> Tensor:
        made = torch.from_numpy(array)
        return made.pin_memory().to(device, non_blocking=True) if device != "cpu" else made

    labels = [rows.arrays[name][group].astype(np.int64) for name in ("answers", "follows")]
    return Batch(there(tokens), there(kinds), there(labels[0]), there(labels[1]), there(span), group)


def measured(model: Reader, rows: Rows, device: str) -> dict[str, Any]:
    """Return ROC and span F1 on the rows: of all, of each set, and of each way of making what does not answer."""
    answers, follows, spans = read_rows(model, rows, device)
    arrays, chosen = rows.arrays, rows.chosen
    found: dict[str, Any] = {}
    for name, said in (("answers", answers), ("follows", follows)):
        label = arrays[name][chosen]
        known = label >= 0
        found[name] = roc(label[known], said[known])
        of = {}
        for place, source in enumerate(arrays["sources"]):
            part = known & (arrays["source"][chosen] == place)
            of[str(source)] = roc(label[part], said[part])
        for place, how in enumerate(arrays["hows"]):
            part = known & ((arrays["how"][chosen] == place) | (label == 1))
            if (label[part] == 0).any():
                of[f"against {how}"] = roc(label[part], said[part])
        found[f"{name}_of"] = {key: round(value, 4) for key, value in of.items() if not math.isnan(value)}
    at = arrays["span"][chosen][:, 0] >= 0
    found["span_f1"] = float(np.mean([_f1(a, b) for a, b in zip(spans[at], arrays["span"][chosen][at], strict=True)]))
    told = [found[name] for name in ("answers", "follows") if not math.isnan(found[name])]
    return {**found, "mean": sum(told) / max(1, len(told))}


def read_rows(model: Reader, rows: Rows, device: str) -> tuple[Array, Array, Array]:
    """Return what the heads say of each chosen row, in order: two numbers, and the likeliest span in the text."""
    model.eval()
    size = len(rows.arrays["query"])
    answers, follows, spans = np.zeros(size), np.zeros(size), np.zeros((size, 2), dtype=np.int64)
    with torch.inference_mode():
        for batch in batches(rows, 512 if device != "cpu" else 32, device):
            with torch.autocast(torch.device(device).type, torch.bfloat16):
                read = model(batch.tokens, batch.kinds)
            answers[batch.rows], follows[batch.rows] = read.answers.cpu().numpy(), read.follows.cpu().numpy()
            masked = read.span.masked_fill((batch.kinds == 0)[:, :, None], -1e4)
            start = masked[:, :, 0].argmax(1, keepdim=True)
            before = torch.arange(masked.shape[1], device=device)[None] < start
            end = masked[:, :, 1].masked_fill(before, -1e4).argmax(1, keepdim=True)
            begin = (batch.kinds == 1).int().argmax(1, keepdim=True)
            spans[batch.rows] = (torch.cat([start, end], 1) - begin).cpu().numpy()
    return answers[rows.chosen], follows[rows.chosen], spans[rows.chosen]


def _f1(said: Array, right: Array) -> float:
    shared = min(said[1], right[1]) - max(said[0], right[0]) + 1
    return 2 * max(0, shared) / (said[1] - said[0] + right[1] - right[0] + 2) if shared > 0 else 0.0


def roc(labels: Array, said: Array) -> float:
    """Return the chance that a row with label 1 is put above one with label 0; ties count half."""
    right, wrong = int((labels == 1).sum()), int((labels == 0).sum())
    if not right or not wrong:
        return math.nan
    _, place, counts = np.unique(said, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return float((ranks[labels == 1].sum() - right * (right + 1) / 2) / (right * wrong))


def _log(out: Path, line: dict[str, Any]) -> None:
    with (out / "log.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
