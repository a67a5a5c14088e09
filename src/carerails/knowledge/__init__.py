"""Knowledge: the cards the agent answers from, and finding the one that answers a question, or none."""
