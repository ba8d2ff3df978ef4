"""Analyses texts: normalisation, sentences, words, dates, amounts, and relevance to a question."""
