"""The built-in tasks. Each is a data set as a teacher, which is found by name."""
