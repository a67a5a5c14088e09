"""Knowledge: the cards that the agent answers from, and finding the one that answers a question, or none.

`cards` reads them, `lint` says what is wrong with them, `retrieval` finds them. A question is answered only by a card
that passes every check of `checks`: its medicine, topic, finer subjects and words. The lists behind them are data:
`medicines.yml`, `topics.yml` and `ordinary.yml` in the config directory.
"""
