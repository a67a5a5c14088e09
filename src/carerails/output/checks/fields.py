"""The deployment's field rules on a reply that is text already: its length, its citations, the addresses in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from carerails.contracts import Exchange, Objection, Reply
from carerails.output.settings import OutputSettings
from carerails.privacy.finders import plain

#: A web address with or without a scheme, and the host of an e-mail address, in a folded text.
_HOST = re.compile(
    r"(?:https?://|www\.|@)(?P<named>[\w.-]+)"
    r"|(?<![\w.@-])(?P<bare>(?:[a-z0-9-]{2,}\.)+(?:com|org|net|gov|edu|info|io|app|health|int|br|mx|ar|co|cl|pe|es|uk|us))\b",
    re.IGNORECASE,
)


def fields(reply: Reply, exchange: Exchange, settings: OutputSettings) -> Iterator[Objection]:
    """`too-long`, `too-many-citations`, `unlisted-address`."""
    if len(reply.text) > settings.max_chars:
        yield Objection(check="fields", reason="too-long")
    if len(reply.citations) > settings.max_citations:
        yield Objection(check="fields", reason="too-many-citations")
    hosts = dict.fromkeys(
        (match["named"] or match["bare"]).lower().rstrip(".") for match in _HOST.finditer(plain(reply.text))
    )
    unlisted = tuple(host for host in hosts if not any(_below(host, domain) for domain in settings.domains))
    if unlisted:
        yield Objection(check="fields", reason="unlisted-address", terms=unlisted)


def _below(host: str, domain: str) -> bool:
    return host == domain or host.endswith(f".{domain}")
