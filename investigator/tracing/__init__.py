"""Traces a run's engine calls to a trace file, to OpenTelemetry, or not at all."""
