"""The layers around the seam, shared by all engines: render, fit, journal, budget, parse, repair."""
