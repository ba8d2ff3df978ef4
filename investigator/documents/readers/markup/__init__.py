"""Marked-up text: HTML, XML, RTF, EPUB, Markdown, reStructuredText, Jupyter notebooks."""
