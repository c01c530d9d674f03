"""The step inspector of the token world: an update's responses, token by token, as far as a record knows them."""

from simulator.explorer.inspector.panel import step_panel

__all__ = ["step_panel"]
