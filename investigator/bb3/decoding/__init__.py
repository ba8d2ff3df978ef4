"""The decoding of the chat's modules: options by name, and the support of each kind of engine."""
