"""carerails."""
