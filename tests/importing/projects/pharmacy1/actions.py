# ruff: noqa
# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Custom actions of the pharmacy's bot."""

import logging
import re

import requests
from nemoguardrails.actions import action

log = logging.getLogger(__name__)

STAFF = [
    r"\bwhere does (Ana|Bruno) live\b",
    r"\b(Ana|Bruno)'s (phone|number)\b",
]
ORDER = re.compile(r"\border\s+\d{6}\b", re.IGNORECASE)


@action(is_system_action=True)
async def mentions_staff(text: str, context: dict | None = None) -> bool:
    """Whether somebody asks about the staff."""
    text = text or (context or {}).get("user_message", "")
    if not text:
        return False
    for pattern in STAFF:
        if re.search(pattern, text, re.IGNORECASE):
            log.info("blocked")
            return True
    return False


@action()
def looks_like_order(context: dict) -> bool:
    message = context.get("user_message", "")
    return ORDER.search(message) is not None


@action(name="ask_warehouse")
async def warehouse(item: str):
    answer = requests.get("https://warehouse.example/" + item, timeout=5)
    return answer.ok


@action()
def mentions_card(context: dict):
    return "loyalty card" in context["user_message"]


raise SystemExit("this file must never be run")
