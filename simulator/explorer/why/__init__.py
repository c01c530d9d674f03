"""The algorithm explainer: which formula did this, with this token's numbers in it, and what another would do."""

from simulator.explorer.why.panel import why_panel

__all__ = ["why_panel"]
