"""Records a run's engine calls in a trace file or as OpenTelemetry spans, if requested."""
