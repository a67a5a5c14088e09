"""The local judge: a sentence encoder, and heads that learn from the examples of the rails. Extra `semantic`."""

from carerails.semantic.encoder import is_installed
from carerails.semantic.judge import LocalJudge

__all__ = ["LocalJudge", "is_installed"]
