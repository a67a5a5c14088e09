"""`carerails rails play`: a local page to try texts on the rails, and rails on the cases. docs/playground.md."""
