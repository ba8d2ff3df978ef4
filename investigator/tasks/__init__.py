"""The shipped tasks: data sets as teachers, found by name."""
