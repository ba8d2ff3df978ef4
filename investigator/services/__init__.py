"""The services behind the front door, for runs, the index, and the choice of engines for roles."""
