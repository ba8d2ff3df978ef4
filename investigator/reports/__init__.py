"""Presents an investigation as text in a terminal, or as one HTML file."""
