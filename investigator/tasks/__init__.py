"""The shipped tasks, which are data sets as teachers, found by name."""
