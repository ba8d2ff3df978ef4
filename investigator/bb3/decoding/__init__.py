"""Decoding for the chat's modules: options by name, and which of them each kind of engine supports."""
