from nemoguardrails.actions import action

WORDS = ("selling pills", "cheap oxy", "Rx no script")


@action(name="MentionsSellingAction")
async def mentions_selling(text: str):
    return any(word in text.lower() for word in WORDS)
