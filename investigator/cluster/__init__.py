"""An index that is spread over machines: shards built by Ray tasks and searched by Ray actors."""
