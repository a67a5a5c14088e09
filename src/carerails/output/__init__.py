"""What the agent says, before anybody reads it: the reply's schema, the checks of its content, streams, the judge.

`guard.ReplyGuard` is the `OutputGuard`; `carerails check-output` runs it on files. docs/output.md is the page.
"""
