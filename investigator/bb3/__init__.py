"""BlenderBot 3's modules, which use the documents in a folder and what users have said about themselves (seed:
bb3_agents).
"""
