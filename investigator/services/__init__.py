"""The services behind `Investigator`: runs, the index, and the choice of an engine for each role."""
