"""The look keeps its promises: contrast, nothing inline, nothing from another host."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = [path for path in (ROOT / "templates").rglob("*") if path.suffix in (".html", ".svg", ".txt")]
STYLES = list((ROOT / "static/css").glob("*.css"))
SCRIPTS = list((ROOT / "static/js").glob("*.js"))

# Text needs 4.5, controls and figures 3 (WCAG 2.2, 1.4.3 and 1.4.11).
TEXT = [
    *((ink, ground) for ink in ("ink", "ink-2", "mark", "miss", "warn", "star-edge") for ground in ("bg", "surface")),
    ("ink-3", "bg"),
    ("ink-3", "sunken"),
    ("mark", "mark-soft"),
    ("miss", "miss-soft"),
    ("warn", "warn-soft"),
    ("on-ink", "ink"),
    ("on-mark", "mark"),
    *((f"d{number}", "surface") for number in (1, 2, 3, 4)),
    *((f"qt{bin}", f"q{bin}") for bin in range(-3, 4)),
    *((f"ct{bin}", f"c{bin}") for bin in range(1, 6)),
]
SHAPES = [
    (shape, ground) for shape in ("line-strong", "star-empty", "bar", "bar-2", "ref") for ground in ("bg", "surface")
]


def tokens() -> dict[str, tuple[str, str]]:
    source = (ROOT / "static/css/tokens.css").read_text()
    pair = r"(?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));"
    found = re.findall(rf"--([\w-]+): {pair}", source)
    return {name: (light or same, dark or same) for name, light, dark, same in found}


def luminance(color: str) -> float:
    channels = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_right():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(("theme", "index"), [("light", 0), ("dark", 1)])
def test_every_pair_of_colors_can_be_read(theme, index):
    color = tokens()
    weak = [
        f"--{front} on --{ground}: {ratio:.2f}, needs {needed}"
        for pairs, needed in ((TEXT, 4.5), (SHAPES, 3.0))
        for front, ground in pairs
        if (ratio := contrast(color[front][index], color[ground][index])) < needed
    ]
    assert not weak


def _without_comments(path: Path) -> str:
    text = re.sub(r"\{% comment %\}.*?\{% endcomment %\}|\{#.*?#\}", "", path.read_text(), flags=re.DOTALL)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) if path.suffix == ".css" else text


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("style attribute", r"<[^>]*\sstyle\s*="),
        ("style element", r"<style\b"),
        ("script without src", r"<script\b(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")"),
        ("event attribute", r"<[^>]*\son\w+\s*=(?!=)"),
        ("htmx event attribute", r"\shx-on[:-]"),
        ("javascript address", r"javascript:"),
    ],
)
def test_templates_hold_nothing_that_the_content_policy_blocks(what, pattern):
    assert not [str(path.relative_to(ROOT)) for path in TEMPLATES if re.search(pattern, _without_comments(path))], what


@pytest.mark.parametrize("path", [*TEMPLATES, *STYLES, *SCRIPTS], ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_comes_from_another_host(path):
    text = _without_comments(path)
    assert not re.search(r"""(?:src|href|action|hx-\w+)\s*=\s*["'](?:https?:)?//""", text)
    assert not re.search(r"""url\(\s*["']?(?:https?:)?//|@import""", text)
    assert not re.search(r"""(?:fetch|import)\(\s*["'`](?:https?:)?//""", text)


def test_every_token_that_is_used_exists():
    known = set(re.findall(r"--([\w-]+):", "".join(path.read_text() for path in STYLES)))
    used = {name for path in STYLES for name in re.findall(r"var\(--([\w-]+)\s*\)", path.read_text())}
    assert not used - known


def test_every_icon_that_is_used_is_installed(settings):
    used = {name for path in TEMPLATES for name in re.findall(r"\{% icon [\"']([\w-]+)[\"']", path.read_text())}
    assert used
    assert not sorted(name for name in used if not (settings.ICONS_DIR / f"{name}.svg").exists())
