"""What a trained reader says of pairs: two numbers and a span for each.

    python benchmarks/reader/read.py PAIRS.npz READER.pt OUT.npz [--device cuda]

PAIRS has the form of what `rows.py` writes. OUT has `answers` and `follows` (before squashing) and `span`, in the order
of the pairs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from model import opened
from train import Rows, read_rows


def main() -> None:
    """Read the arguments and the pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("reader", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    arguments = parser.parse_args()
    model = opened(arguments.reader).to(arguments.device)
    arrays = dict(np.load(arguments.pairs))
    rows = Rows(arrays, np.arange(len(arrays["query"])))
    answers, follows, span = read_rows(model, rows, arguments.device)
    np.savez(arguments.out, answers=answers, follows=follows, span=span)


if __name__ == "__main__":
    main()
