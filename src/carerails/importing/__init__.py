"""From a NeMo Guardrails project, of Colang 1.0 or 2.x, to rails: what is portable is converted, the rest listed.

`settings`, `colang1`, `colang2` and `actions` read a foreign project into the same few things (`found`), and never run
any of it; `flows` finds what its flows do with them; `patterns` brings a regex into the subset; `convert` makes rules,
examples and texts of all; `write` writes them down.
"""

from carerails.importing.convert import import_project
from carerails.importing.found import Left, Made, Outcome

__all__ = ["Left", "Made", "Outcome", "import_project"]
