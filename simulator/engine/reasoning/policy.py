"""The policy: a softmax over tokens for each prompt and context.

Its logits are those of the reference policy, plus logits that all prompts of a family share, plus logits of the prompt
alone; held-out prompts have none of their own.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..compiled import kernel
from .reference import log_softmax
from .vocabulary import CONTEXTS, TOKENS
from .world import World

FloatArray = npt.NDArray[np.float64]


@kernel
def log_policy(
    world: World,
    family_logits: FloatArray,
    prompt_logits: FloatArray,
    prompt: int,
    out: FloatArray,
    probabilities: FloatArray,
) -> None:
    """Log-probabilities (nats) of one prompt's tokens, `(6, 12)`, into `out`, and their probabilities beside them.

    `prompt` is a row of the world, `family_logits` is `(4, 6, 12)`, `prompt_logits` `(train_prompts, 6, 12)`.
    """
    family = world.family[prompt]
    for c in range(CONTEXTS):
        for v in range(TOKENS):
            out[c, v] = world.reference_logits[prompt, c, v] + family_logits[family, c, v]
            if prompt < world.train_prompts:
                out[c, v] += prompt_logits[prompt, c, v]
        log_softmax(out[c], probabilities[c])
