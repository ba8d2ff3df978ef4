"""Reads tables: the labels of rows, columns and figures, and the cell that a question asks for."""
