"""A page to look at, an API to call: the doors for browsers, programs and agents."""
