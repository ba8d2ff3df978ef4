"""Engines answer prompts; `base.Engine` is their interface."""
