"""An index distributed over machines, in shards that are built by Ray tasks and searched by Ray actors."""
