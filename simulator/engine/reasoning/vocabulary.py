"""The twelve token roles of the policy, and the six situations in which it chooses between them."""

from __future__ import annotations

TOKEN_NAMES = (
    "stepA",
    "stepB",
    "slip",
    "wait",
    "hmm",
    "check",
    "answer",
    "guess1",
    "guess2",
    "guess3",
    "guess4",
    "eos",
)
"""The roles in vocabulary order. What a token says depends on the prompt and on what stands before it."""

TOKENS = len(TOKEN_NAMES)

STEP_A = 0
"""Adds without a carry, or reads a story as "more"."""
STEP_B = 1
"""Adds with a carry, or reads a story as "fewer"."""
SLIP = 2
"""A step that is off by one: always wrong."""
WAIT = 3
HMM = 4
CHECK = 5
"""Goes back to the last right step if a visible error has been made, else a filler."""
ANSWER = 6
"""States the running total."""
FIRST_GUESS = 7
"""The first of four guesses without working; which one is right depends on the prompt."""
GUESSES = 4
EOS = 11
"""Ends the response."""

CONTEXT_NAMES = ("read", "plain", "carry", "ready", "lost", "answered")
"""What the policy sees of a state: the kind of the next step, that none is left, that an error is visible, or that an
answer has been given."""

CONTEXTS = len(CONTEXT_NAMES)

READ, PLAIN, CARRY, READY, LOST, ANSWERED = range(CONTEXTS)
