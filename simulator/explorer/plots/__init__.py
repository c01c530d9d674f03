"""A run's metrics as pictures: lines, ring, and the strip of updates around the one that is shown."""
