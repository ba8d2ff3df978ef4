"""The services behind the front door: runs, the index, and the choice of engines for roles."""
