"""The embedded default: an engine without a language model, which quotes the documents word for word.

It answers from a prompt's variables with sentence embeddings, overlap of words and rules, and never reads its text:
no change of a template can break it, and nothing that a document says can instruct it.
"""

from investigator.engines.extractive.engine import ExtractiveEngine

__all__ = ["ExtractiveEngine"]
