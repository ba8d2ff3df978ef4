"""The built-in tasks: data sets as teachers, which are found by name."""
