"""The model judge: a second opinion by a pinned rubric, from a model that may fail in every way. See docs/judge.md."""

from carerails.judge.model import RubricModel
from carerails.judge.opinions import ModelJudge
from carerails.judge.rubric import Pinned, Rubric, load_rubric, lock_rubric
from carerails.judge.scope import ModelScope, slug_of
from carerails.judge.verdict import Verdict

__all__ = [
    "ModelJudge",
    "ModelScope",
    "Pinned",
    "Rubric",
    "RubricModel",
    "Verdict",
    "load_rubric",
    "lock_rubric",
    "slug_of",
]
