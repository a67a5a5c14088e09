"""An engine in another process: the lines, the child, and the loop that answers. docs/process-protocol.md."""
