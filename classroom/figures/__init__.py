"""Geometry of the course pages' own figures. Pure: numbers in, coordinates out; templates/classroom/figures/ draw."""
