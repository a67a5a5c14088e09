"""Answers from cards and from nothing else, and the check that every claim in them cites one."""

from carerails.drafting.citations import MarkerCitations
from carerails.drafting.envelope import PLAIN, Form
from carerails.drafting.errors import DraftError
from carerails.drafting.extractive import ExtractiveDrafter
from carerails.drafting.markers import cited, mark, markers
from carerails.drafting.model import ModelDrafter
from carerails.tracing import untraced

__all__ = [
    "PLAIN",
    "DraftError",
    "ExtractiveDrafter",
    "Form",
    "MarkerCitations",
    "ModelDrafter",
    "cited",
    "mark",
    "markers",
    "untraced",
]
