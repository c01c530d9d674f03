"""A mean over seeds with its uncertainty, the same wherever one is printed."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Standard errors to either side of the mean that make a 95 % interval (normal approximation).
STANDARD_ERRORS = 1.96


@dataclass(frozen=True)
class Interval:
    """A mean and the half width of its 95 % interval."""

    mean: float
    half_width: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "Interval":
        """Measure `values` (S,), one per seed."""
        error = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
        return cls(float(np.mean(values)), STANDARD_ERRORS * error)

    @property
    def standard_error(self) -> float:
        return self.half_width / STANDARD_ERRORS

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width
