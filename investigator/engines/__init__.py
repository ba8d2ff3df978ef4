"""Engines: what answers a prompt; `base.Engine` is the interface."""
