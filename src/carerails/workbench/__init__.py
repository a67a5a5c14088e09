"""Tools for the person who edits the rails: explain, coverage, diff, watch, scaffold, format."""
