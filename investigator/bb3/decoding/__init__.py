"""The decoding of the chat's modules: options by name, and what each kind of engine supports."""
