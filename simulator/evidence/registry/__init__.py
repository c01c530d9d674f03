"""All claims, in the order of the page."""

from simulator.evidence.claim import Claim
from simulator.evidence.registry import (
    answers_clean,
    answers_flawed,
    answers_pairs,
    answers_sparse,
    tokens_clip,
    tokens_credit,
    tokens_kl,
    tokens_lengths,
    tokens_memory,
    tokens_presets,
    tokens_reuse,
    tokens_sampling,
    tokens_weights,
)

CLAIMS: tuple[Claim, ...] = (
    *answers_clean.CLAIMS,
    *answers_sparse.CLAIMS,
    *answers_flawed.CLAIMS,
    *answers_pairs.CLAIMS,
    *tokens_lengths.CLAIMS,
    *tokens_reuse.CLAIMS,
    *tokens_clip.CLAIMS,
    *tokens_sampling.CLAIMS,
    *tokens_weights.CLAIMS,
    *tokens_credit.CLAIMS,
    *tokens_kl.CLAIMS,
    *tokens_memory.CLAIMS,
    *tokens_presets.CLAIMS,
)

BY_NAME: dict[str, Claim] = {claim.name: claim for claim in CLAIMS}
