"""Observers of a run's engine calls: a trace file, OpenTelemetry, or none."""
