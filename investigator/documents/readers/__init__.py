"""One file becomes text with a page map: one module for each family of formats, chosen in `registry`."""
