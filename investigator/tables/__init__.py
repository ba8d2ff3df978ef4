"""Tables: what names their rows, columns and figures, and which cell a question asks for."""
