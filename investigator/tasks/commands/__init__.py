"""The commands for tasks."""
