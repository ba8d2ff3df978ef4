"""The server: a web page for users, an API for programs, and tools for agents."""
