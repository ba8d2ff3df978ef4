"""The commands of tasks."""
