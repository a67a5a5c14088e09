"""Personal data stays out of records and prompts."""

from carerails.privacy.redact import PresidioRedactor

__all__ = ["PresidioRedactor"]
