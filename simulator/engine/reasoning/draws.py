"""Random numbers of the token world: every draw has an address.

A draw is the hash of its keys, so it depends on no other draw: a bigger group begins with the responses of a smaller
one, and the batch size, the length limit and the algorithm reshuffle nothing.

The hash absorbs one 64-bit key after the other with the mixing function of SplitMix64 (Steele, Lea and Flood, "Fast
splittable pseudorandom number generators", 2014).
"""

from __future__ import annotations

import numpy as np

from ..compiled import kernel, small_kernel

# Streams, the first key of every draw.
WORLD = 1
"""`(WORLD, world_seed, prompt, tag, index)`: what a prompt is like."""
PROMPT_STREAM = 2
"""`(PROMPT_STREAM, seed, pass, prompt)`: a pass through the train prompts is in ascending order of these numbers."""
ROLLOUT = 3
"""`(ROLLOUT, seed, visit, prompt, response, position)`: the uniform number by which a token is sampled."""
NOISE = 4
"""`(NOISE, seed, visit, prompt, response)`: the verifier's errors."""

_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_ONE = np.uint64(1)
_11, _27, _30, _31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)
_RESOLUTION = 2.0**-53

Hash = np.uint64


@small_kernel
def mix(state: Hash, key: int) -> Hash:
    """The 64-bit hash after absorbing one more key."""
    # Every operand is unsigned: of a signed and an unsigned number the compiler would make a floating-point one.
    bits = np.uint64(state) + (np.uint64(key) + _ONE) * _INCREMENT
    bits = (bits ^ (bits >> _30)) * _FIRST_FACTOR
    bits = (bits ^ (bits >> _27)) * _SECOND_FACTOR
    return bits ^ (bits >> _31)


@kernel
def hkey(*keys: int) -> Hash:
    """The 64-bit hash of some keys, signed 64-bit integers from 0."""
    state = np.uint64(0)
    for key in keys:
        state = mix(state, key)
    return state


@small_kernel
def unit(bits: Hash) -> float:
    """A hash as a number from 0 to below 1: its upper 53 bits. (Outside kernels a hash must be a `np.uint64`.)"""
    return np.float64(np.uint64(bits) >> _11) * _RESOLUTION


@kernel
def uniform(*keys: int) -> float:
    """The number from 0 to below 1 at an address."""
    return unit(hkey(*keys))
