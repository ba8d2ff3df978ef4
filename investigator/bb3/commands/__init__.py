"""The commands of the chat."""
