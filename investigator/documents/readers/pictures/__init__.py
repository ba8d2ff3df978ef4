"""Pictures, whose text is recognised by Tesseract."""
