"""Observers of the engine calls of a run: a file of lines, OpenTelemetry, or nobody."""
