"""The built-in tasks, which are found by name. Each task offers a data set as a teacher."""
