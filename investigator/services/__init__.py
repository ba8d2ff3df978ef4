"""The services behind the front door: runs, the index, and which engine plays which role."""
