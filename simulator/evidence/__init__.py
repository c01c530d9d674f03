"""The evidence: every claim this site makes about training, the runs behind it, and what they say.

`registry` holds the claims, `measure` runs them, `results.json` keeps what came out, `page` shows it.
`manage.py evidence` measures all of them again.
"""
