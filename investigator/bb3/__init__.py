"""The modules of BlenderBot 3 over the documents and memories of a folder (seed: bb3_agents)."""
