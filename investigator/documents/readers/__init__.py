"""Readers: functions that convert the bytes of a file to text with pages and headings; each family of formats has its
own folder.

To add a format, write a function in the folder of its family, and add a line for it to `versions`. If files of the
format are recognised by their bytes or name, add another line to `media_types`. `base` defines a reader's input and
output; `builder`, `rows`, `decoding` and `properties` help with text, tables, characters, titles and dates, and
`table_recorder`, `table_shape` and `table_captions` record tables. `unpacking` reads a file and the files inside it.
"""
