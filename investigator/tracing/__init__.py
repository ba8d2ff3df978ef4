"""Who watches the engine calls of a run from outside: a file of lines, OpenTelemetry, nobody."""
