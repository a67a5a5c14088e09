"""What the user wrote, made ready for matching: normalised views, with the way back to the original."""

from carerails.text.language import detect_locale
from carerails.text.prepare import Prepared, prepare, unanswered
from carerails.text.views import View, as_read, normalise

__all__ = ["Prepared", "View", "as_read", "detect_locale", "normalise", "prepare", "unanswered"]
