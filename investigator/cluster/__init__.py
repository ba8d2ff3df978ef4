"""An index that is spread over machines, in shards that Ray tasks build and Ray actors search."""
