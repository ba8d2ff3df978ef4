"""Decoding options for the chat's modules, and the options that each kind of engine supports."""
