"""What a page says, taken from its elements; parsing it also shows that every element is closed."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse
from django.test.html import Element, parse_html


def parsed(response: HttpResponse) -> Element:
    return parse_html(response.content.decode())


def elements(root: Element, name: str, **attributes: str) -> Iterator[Element]:
    """All elements of a name below `root`, in order; `css` asks for a class, others for attributes (_ for -)."""
    for child in root.children:
        if isinstance(child, str):
            continue
        if child.name == name and all(_has(child, key, value) for key, value in attributes.items()):
            yield child
        yield from elements(child, name, **attributes)


def element(root: Element, name: str, **attributes: str) -> Element:
    return next(elements(root, name, **attributes))


def attribute(one: Element, name: str) -> str:
    return dict(one.attributes).get(name) or ""


def classes(one: Element) -> list[str]:
    return attribute(one, "class").split()


def text(one: Any) -> str:
    """The text of an element and of all below it, in one line."""
    words = one if isinstance(one, str) else " ".join(text(child) for child in one.children)
    return " ".join(words.split())


def _has(one: Element, key: str, value: str) -> bool:
    if key == "css":
        return value in classes(one)
    return attribute(one, key.replace("_", "-")) == value
