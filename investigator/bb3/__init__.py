"""BlenderBot 3's modules, using the documents of a folder and the memories of its users (seed: bb3_agents)."""
