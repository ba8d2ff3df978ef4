"""A folder of files becomes documents with pages, headings and chunks."""
