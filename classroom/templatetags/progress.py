"""What the pages about progress write in a way of their own: cells by the thousand, short dates, medians."""

from datetime import datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from classroom.grid.asked import Asked
from classroom.grid.dates import ShortDates
from classroom.grid.markup import grid_rows, in_words
from classroom.scoring import points_text

register = template.Library()

register.simple_tag(grid_rows)
register.filter("cell_in_words", in_words)
register.filter(points_text)


@register.filter
def when(at: datetime | None, now: datetime) -> str:
    """A date as short as it stays clear, see ShortDates."""
    return ShortDates(now)(at)


@register.filter
def half(value: float) -> str:
    """A median of whole numbers: 3, 2.5."""
    return f"{value:g}"


@register.simple_tag
def sort_link(asked: Asked, column: str) -> SafeString:
    """The attributes of a link that sorts the grid by a column; by its other end, when it is sorted by it already."""
    query = asked.sorted_by(column)
    return format_html('id="sort-{}" href="{}" hx-get="{}"', column, query, query)


@register.simple_tag
def sort_state(asked: Asked, column: str, is_down: bool = True) -> str:
    """Attribute aria-sort of a column's heading. `is_down` says whether its usual order goes from large to small."""
    if asked.sort != column:
        return ""
    return SafeString(f' aria-sort="{"descending" if is_down != asked.is_reversed else "ascending"}"')


@register.simple_tag
def asked_with(asked: Asked, **changes: object) -> str:
    """The query of the grid as asked for, with changes."""
    return asked.query(**changes)
