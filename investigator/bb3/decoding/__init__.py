"""How the modules of the chat write: options by name, and what each kind of engine makes of them."""
