"""Points as they are read, and the cells of the grade book, which are many: drawn without a template of their own."""

from decimal import Decimal

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from classroom.gradebook import late_in_words, why_nothing
from classroom.results import Cell
from classroom.scoring import points_text

register = template.Library()


@register.filter
def points(value: Decimal | None) -> str:
    """Points as they are read: 3, 2.5, 0; nothing for None."""
    return "" if value is None else points_text(value)


@register.simple_tag
def book_cell(cell: Cell) -> SafeString:
    """Draw a cell of the grade book: points, and under them the try that counts."""
    counted = cell.score.counted
    extended = "ext." if cell.is_extended else ""
    if counted is None:
        return format_html(
            '<td class="n m"><span class="muted">–</span><small>{}</small></td>',
            ", ".join(filter(None, (why_nothing(cell), extended))),
        )
    late = late_in_words(cell.score.days_late) if cell.score.is_late else ""
    return format_html(
        '<td class="n m{}">{}<small>{}</small></td>',
        " late" if late else "",
        points_text(cell.score.points),
        ", ".join(filter(None, (f"try {counted.number}", late, extended))),
    )
