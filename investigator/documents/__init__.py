"""Turns a folder of files into documents with pages, headings and chunks."""
