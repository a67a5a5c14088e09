"""Knowledge: the cards that the agent answers from, and finding the one that answers a question, or none.

`cards` reads them, `lint` says what is wrong with them, `retrieval` finds them. A question is answered only by a card
of its medicine for which the evidence of `checks` is enough. The lists behind it are data: `medicines.yml` and
`topics.yml` in the config directory; how common a word is comes from `wordfreq`.
"""
