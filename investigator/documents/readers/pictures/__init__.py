"""Pictures, whose text Tesseract recognises."""
