"""The built-in engine: it has no language model, and quotes the documents word for word.

It answers from a prompt's variables with sentence embeddings, word overlap and rules, and never reads the prompt's
text: no change to a template can break it, and no document can instruct it.
"""

from investigator.engines.extractive.engine import ExtractiveEngine

__all__ = ["ExtractiveEngine"]
