"""Slices, scorers, comparison: what shows how well an engine decides."""
