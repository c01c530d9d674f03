"""Batches of responses with everything that an objective reads, made up by a seeded generator."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

EOS = 11
MAX_COMPLETION_LENGTH = 9


@dataclass(frozen=True, eq=False)
class Batch:
    """Groups of ``group_size`` responses; arrays over tokens hold one response behind the other."""

    group_size: int
    offsets: np.ndarray  # (rows + 1,)
    truncated: np.ndarray  # (rows,)
    rewards: np.ndarray  # (rows,)
    log_probs: np.ndarray  # (tokens,), and so are the next two
    old_log_probs: np.ndarray
    ref_log_probs: np.ndarray

    @property
    def rows(self) -> int:
        return len(self.truncated)

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    @property
    def completions(self) -> list[list[int]]:
        """Token ids. A response that was not cut off ends with EOS; nothing else about them matters."""
        return [
            [1] * length if cut else [1] * (length - 1) + [EOS]
            for length, cut in zip(self.lengths.tolist(), self.truncated, strict=True)
        ]

    def token_mask(self) -> torch.Tensor:
        """Where a padded array, (rows, longest response), holds tokens."""
        return torch.from_numpy(np.arange(self.lengths.max()) < self.lengths[:, None])

    def padded(self, values: np.ndarray) -> torch.Tensor:
        result = torch.zeros(self.rows, int(self.lengths.max()), dtype=torch.float64)
        result[self.token_mask()] = torch.from_numpy(values)
        return result

    def per_token(self, values: np.ndarray) -> np.ndarray:
        """Repeat one value per response for each of its tokens."""
        return np.repeat(values, self.lengths)


def make(seed: int, groups: int = 5, group_size: int = 4, drift: float = 0.5, case: str = "mixed") -> Batch:
    """A batch whose policy has moved by ``drift`` nats a token since it was sampled."""
    generator = np.random.default_rng(seed)
    rows = groups * group_size
    truncated = generator.random(rows) < 0.25
    if case == "all_truncated":
        truncated[:] = True
    lengths = generator.integers(1, MAX_COMPLETION_LENGTH, rows)
    lengths[truncated] = MAX_COMPLETION_LENGTH
    rewards = generator.integers(0, 2, rows).astype(float) - generator.integers(0, 3, rows) / 7
    rewards[:group_size] = rewards[0]  # a group without a difference
    if case == "all_equal":
        rewards[:] = 0.7
    old = np.log(generator.uniform(0.02, 0.98, lengths.sum()))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    # Whole responses move too: a sequence ratio is a mean, which single tokens hardly move.
    moved = np.repeat(generator.normal(0, drift, rows), lengths) + generator.normal(0, drift, len(old))
    if case == "on_policy":
        moved[:] = 0
    log_probs = np.minimum(old + moved, -1e-3)
    ref = np.minimum(old + generator.normal(0, 0.5, len(old)), -1e-3)
    if case == "on_policy":
        log_probs = old.copy()
    return Batch(group_size, offsets, truncated, rewards, log_probs, old, ref)
