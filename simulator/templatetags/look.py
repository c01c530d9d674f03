"""Icons, stars and numbers in the site's own look, for every template."""

import re
from functools import cache

from django import template
from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from simulator.charts import table
from simulator.engine.formula import Expression

register = template.Library()


@cache
def _drawing(name: str) -> str:
    """Return what stands between <svg> and </svg> in the icon package's file."""
    if not re.fullmatch(r"[a-z0-9-]+", name):
        raise ValueError(f"{name!r} is not an icon's name")
    source = (settings.ICONS_DIR / f"{name}.svg").read_text()
    inner = re.search(r"<svg[^>]*>(.*)</svg>", source, re.DOTALL)
    if inner is None:
        raise ValueError(f"{name}.svg holds no drawing")
    return " ".join(inner[1].split())


@register.simple_tag
def icon(name: str, css: str = "") -> SafeString:
    """Draw an icon beside its word; it is hidden from screen readers."""
    # The drawing comes from a pinned package, not from a user.
    return format_html(
        '<svg class="i {}" viewBox="0 0 24 24" aria-hidden="true">{}</svg>',
        css,
        mark_safe(_drawing(name)),  # noqa: S308
    )


@register.simple_tag
def star_path(css: str = "", transform: str = "") -> SafeString:
    """Draw one star inside a figure, on the 24 px grid."""
    outline = re.search(r' d="([^"]+)"', _drawing("star"))
    assert outline is not None
    moved = format_html(' transform="{}"', transform) if transform else ""
    return format_html('<path class="{}"{} d="{}"/>', css, moved, outline[1])


@register.simple_tag
def stars(earned: int | None, size: str = "", of: int = 3) -> SafeString:
    """Draw a row of stars with its meaning in words. `size` is "", "l" or "xl"."""
    earned = earned or 0
    drawn = format_html_join(
        "",
        '<svg viewBox="0 0 24 24" aria-hidden="true">{}</svg>',
        ((star_path("on" if i < earned else "off"),) for i in range(of)),
    )
    return format_html(
        '<span class="stars{}" role="img" aria-label="{} of {} {}">{}</span>',
        f" stars-{size}" if size else "",
        earned,
        of,
        "star" if of == 1 else "stars",
        drawn,
    )


@register.filter
def mathml(formula: Expression) -> SafeString:
    """Draw a formula of the engine as MathML, which browsers show and screen readers read."""
    # The engine's own tree, all of its text escaped.
    return mark_safe(formula.mathml())  # noqa: S308


register.filter("fixed", table.fixed)
register.filter("signed", table.signed)


@register.filter
def thousands(value: int) -> str:
    """Write a whole number with commas: 12,800."""
    return f"{int(value):,}"
