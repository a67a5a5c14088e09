"""`carerails rails lsp`: what an editor asks of the rails. docs/editors.md is its page."""
