"""Surrounds the seam, once for all engines: render, fit, journal, budget, parse, repair."""
