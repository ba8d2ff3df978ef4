"""Readers for word-processing documents, spreadsheets and presentations."""
