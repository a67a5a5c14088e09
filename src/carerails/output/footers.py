"""The footer of every locale, as the rails have it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from carerails.colang.rules import FOOTER
from carerails.config import Settings
from carerails.contracts import LOCALES, Locale
from carerails.errors import UsageError
from carerails.policy import Policy
from carerails.resources import data_dir


def footers(rails: Path | None, settings: Settings) -> Mapping[Locale, str]:
    """What must end a reply that is sent.

    Args:
        rails: directory or exported policy; None: those that are shipped.
        settings: profile and numbers.

    Raises:
        UsageError: the rails do not load, or have no footer.
    """
    policy = Policy.load(rails or data_dir("rails"))
    if FOOTER not in policy.templates:
        raise UsageError(f"the rails have no template {FOOTER}", "name the folder that templates/ is in", str(rails))
    return {
        locale: policy.render(FOOTER, locale, settings.numbers.of(locale, settings.country(locale, None)))
        for locale in LOCALES
    }
