"""An index spread over machines, in shards that Ray tasks build and Ray actors search."""
