"""How an investigation is shown: as text in a terminal, as one HTML file."""
