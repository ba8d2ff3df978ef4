"""Text as the parts see it: normalised, in sentences, in words, and how much of a question it says."""
