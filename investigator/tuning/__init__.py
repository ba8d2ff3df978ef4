"""Which of two templates, models or settings is better, and the search for a better one that is proven to be it."""
