"""The posture: what the agent never does and by what it is held, as a document that a clinical reviewer can read.

`sources` reads what people wrote (config), `facts` adds what the rails and settings say, `changes` compares two such
collections, `document` writes one down in three locales, `check` keeps config, package docstring and README in step.
"""

from carerails.posture.sources import Guard, Never, Posture, load_posture

__all__ = ["Guard", "Never", "Posture", "load_posture"]
