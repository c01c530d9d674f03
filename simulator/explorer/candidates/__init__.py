"""The step inspector and the explainer of the ten-answers world, where one looks at answers instead of tokens."""

from simulator.explorer.candidates.step import step_panel
from simulator.explorer.candidates.why import why_panel

__all__ = ["step_panel", "why_panel"]
