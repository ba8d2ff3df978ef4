"""The steps around a call to an engine, the same for every engine: render, fit, journal, budget, parse, repair."""
