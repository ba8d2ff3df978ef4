"""Finds documents for the SKM module, in the folder or at a search server that uses BB3's protocol."""
