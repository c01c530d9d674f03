"""Figures that a template may want without its view knowing of them."""

from functools import cache

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from simulator.charts.bars import rank_bars
from simulator.engine import parse_setup
from simulator.runs import visible_run

register = template.Library()


@register.simple_tag
@cache
def default_run_bars() -> SafeString:
    """The ten answers before and after the run that all defaults make: seed 1, no unusual event.

    Always the same, so it is drawn once per process: a lecture hall loads the sign-in page at once.
    """
    return render_to_string("charts/bars.html", {"bars": rank_bars(visible_run(parse_setup({}), 1)), "still": True})
