"""All claims, in the order of the page."""

from simulator.evidence.claim import Claim
from simulator.evidence.registry import answers_clean, answers_flawed, answers_pairs, answers_sparse

CLAIMS: tuple[Claim, ...] = (
    *answers_clean.CLAIMS,
    *answers_sparse.CLAIMS,
    *answers_flawed.CLAIMS,
    *answers_pairs.CLAIMS,
)

BY_NAME: dict[str, Claim] = {claim.name: claim for claim in CLAIMS}
