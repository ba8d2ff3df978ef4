"""The server: a page for browsers, an API for programs, and tools for agents."""
