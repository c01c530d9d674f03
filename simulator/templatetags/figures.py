"""Figures that a template may want without its view knowing of them."""

from typing import Any

from django import template

from simulator.charts.bars import rank_bars
from simulator.engine import parse_setup
from simulator.runs import visible_run

register = template.Library()


@register.inclusion_tag("charts/bars.html")
def default_run_bars() -> dict[str, Any]:
    """The ten answers before and after the run that all defaults make: seed 1, no unusual event."""
    return {"bars": rank_bars(visible_run(parse_setup({}), 1)), "still": True}
