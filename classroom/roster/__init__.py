"""Rosters: class lists as CSV files, read, compared with a course, taken over, and written."""
