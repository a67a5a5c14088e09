"""Screening: what of retrieved text and tool results goes into a model's context, and whether its claims are borne out.

A passage is cut into units. A few typed questions are asked of each: how relevant it is, whether it contradicts what
the user takes for granted, whether it speaks to the model. Who answers is a `DecisionModel`; what follows is in code
and in the profile. `docs/screening.md` shows it.
"""
