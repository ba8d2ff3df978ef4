"""Searches for the SKM module, in the folder or at a search server in BB3's protocol."""
