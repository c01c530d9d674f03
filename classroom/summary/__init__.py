"""A course over its term: what its students did when, and how far they are with each mission."""
