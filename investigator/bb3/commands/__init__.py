"""The commands for chats."""
