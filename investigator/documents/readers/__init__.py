"""Readers: one function for each format, from bytes to text with pages and headings, in a folder for each family.

A new format is a function in the folder of its family with its line in `registry`, and one in `media_types` if it is
recognised by its bytes or name. `base` says what a reader takes and gives; `builder`, `rows`, `decoding` and
`properties` help with text, tables, characters, titles and dates. `unpacking` reads a file and the files inside it.
"""
