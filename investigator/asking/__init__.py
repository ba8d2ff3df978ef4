"""The steps that surround every call to an engine: render, fit, journal, budget, parse, repair."""
