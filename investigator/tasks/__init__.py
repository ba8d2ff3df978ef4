"""The built-in tasks. Each offers a data set as a teacher, and is found by name."""
