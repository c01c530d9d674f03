"""A course to look around in: invented people whose attempts are real runs of the simulation."""
