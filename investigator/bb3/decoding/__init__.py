"""Decoding options of the chat's modules, and which of them each kind of engine supports."""
