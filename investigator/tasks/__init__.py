"""The tasks that ship: data sets as teachers, found by name."""
