"""Links within the page. What is listed stands behind the `#`, so a link filters, and any view can be sent on."""

from __future__ import annotations

from urllib.parse import urlencode


def listing(**filters: str) -> str:
    """The link to the cases that pass these filters; `is_` stands for `is`. Empty filters are left out."""
    return "#" + urlencode({key.rstrip("_"): value for key, value in filters.items() if value}, safe="/")
