"""An index that is spread over machines: shards built by Ray's tasks, searched by Ray's actors."""
