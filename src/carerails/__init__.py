"""Guardrails for a patient-facing medication-adherence agent: one policy in Colang, any engine.

What this is not: a medical device. The agent that uses it never
1. diagnoses: names, infers, rules in or out a condition;
2. advises on doses: more, less, double, split, skip, reschedule;
3. changes prescriptions: start, stop, switch, substitute, pause;
4. interprets labs, images or device readings;
5. writes for clinicians or contacts them for the user;
6. replaces emergency services: on a red flag it gives the number and ends the conversation;
7. claims clinical validation.
"""

__version__ = "0.1.0"
