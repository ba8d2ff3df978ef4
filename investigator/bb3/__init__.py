"""BlenderBot 3's modules, over the documents of a folder and the memories of users (seed: bb3_agents)."""
