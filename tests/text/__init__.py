"""Text: views, the way back, turns, attacks."""
