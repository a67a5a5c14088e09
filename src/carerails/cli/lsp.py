"""`carerails rails lsp`: the language server, where the extra is installed."""

from __future__ import annotations

from carerails.errors import UsageError


def run() -> int:
    """Serve one client on stdin and stdout."""
    try:
        from carerails.lsp.server import serve
    except ImportError as error:
        raise UsageError(
            f"the language server needs {error.name}, which is not installed", "pip install 'carerails[lsp]'"
        ) from None
    return serve()
