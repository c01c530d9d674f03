"""Loading makes rows what the files say, changes no more than that, and never loses or silently regrades a mission."""

import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from missions import loading
from missions.loading import CATALOGUE, CatalogueError, load, read_catalogue
from missions.models import Mission

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Measuring takes seconds and has tests of its own; return which missions were measured."""
    slugs: list[str] = []

    def measure(definition, runs) -> dict:
        slugs.append(definition.slug)
        return {"key": loading.evidence_key(definition), "tables": {}}

    monkeypatch.setattr(loading, "measure", measure)
    monkeypatch.setattr(loading.Measurements, "run_ahead", lambda self: None)
    return slugs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("01-first-signal", "02-short-leash", "03-sample-once"):
        shutil.copy(CATALOGUE / f"{name}.toml", tmp_path)
    return tmp_path


def edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


def rows() -> dict[str, dict]:
    return {row["slug"]: row for row in Mission.objects.values()}


def test_the_whole_catalogue_loads(measured: list[str]) -> None:
    changes = load(read_catalogue())
    assert len(changes.added) == len(measured) == Mission.objects.count() == 24
    for entry in read_catalogue():
        mission = Mission.objects.get(slug=entry.definition.slug)
        assert mission.definition == entry.definition.source
        assert mission.grading_digest == entry.definition.grading_digest
        assert (mission.position, mission.revision, mission.title) == (
            entry.definition.position,
            entry.definition.revision,
            entry.definition.title,
        )


def test_loading_again_writes_nothing(folder: Path, measured: list[str]) -> None:
    load(read_catalogue(folder))
    before = rows()
    measured.clear()
    with CaptureQueriesContext(connection) as queries:
        changes = load(read_catalogue(folder))
    assert len(changes.unchanged) == 3 and not measured
    assert rows() == before
    assert not [q for q in queries.captured_queries if q["sql"].startswith(("INSERT", "DELETE"))]


def test_new_words_need_no_new_revision_and_keep_the_row(folder: Path, measured: list[str]) -> None:
    load(read_catalogue(folder))
    before = rows()
    measured.clear()
    edit(folder / "01-first-signal.toml", ('title = "First signal"', 'title = "A first signal"'))
    changes = load(read_catalogue(folder))
    assert changes.updated == ["first-signal"] and not measured
    after = rows()
    assert after["first-signal"]["id"] == before["first-signal"]["id"]
    assert after["first-signal"]["title"] == "A first signal"
    assert after["first-signal"]["evidence"] == before["first-signal"]["evidence"]
    assert after["short-leash"] == before["short-leash"]


def test_grading_changes_only_with_a_higher_revision(folder: Path) -> None:
    load(read_catalogue(folder))
    before = rows()
    path = folder / "02-short-leash.toml"
    edit(path, ("three_stars = 3_200", "three_stars = 3_300"))
    edit(folder / "01-first-signal.toml", ('title = "First signal"', 'title = "A first signal"'))
    with pytest.raises(CatalogueError, match=r"02-short-leash\.toml: .*raise revision above 1"):
        load(read_catalogue(folder))
    assert rows() == before, "a refused load must change nothing at all"
    edit(path, ("revision = 1", "revision = 2"))
    load(read_catalogue(folder))
    assert rows()["short-leash"]["revision"] == 2
    edit(path, ("revision = 2", "revision = 1"), ("three_stars = 3_300", "three_stars = 3_200"))
    with pytest.raises(CatalogueError, match="older than the loaded 2"):
        load(read_catalogue(folder))


def test_positions_can_be_swapped(folder: Path) -> None:
    load(read_catalogue(folder))
    edit(folder / "01-first-signal.toml", ("position = 1", "position = 2"))
    edit(folder / "02-short-leash.toml", ("position = 2", "position = 1"))
    load(read_catalogue(folder))
    assert [m.slug for m in Mission.objects.all()] == ["short-leash", "first-signal", "sample-once"]
    assert not Mission.objects.filter(is_retired=True).exists()


def test_a_mission_that_is_gone_is_retired_and_may_come_back(folder: Path, measured: list[str]) -> None:
    load(read_catalogue(folder))
    kept = rows()["short-leash"]
    path = folder / "02-short-leash.toml"
    text = path.read_text(encoding="utf-8")
    path.unlink()
    edit(folder / "03-sample-once.toml", ("position = 3", "position = 2"))
    assert load(read_catalogue(folder)).retired == ["short-leash"]
    assert rows()["short-leash"] == {**kept, "is_retired": True}
    assert load(read_catalogue(folder)).retired == []

    edit(folder / "03-sample-once.toml", ("position = 2", "position = 3"))
    path.write_text(text, encoding="utf-8")
    measured.clear()
    assert "short-leash" in load(read_catalogue(folder)).updated
    assert rows()["short-leash"] == kept and not measured


def test_evidence_is_measured_again_when_its_tables_change(folder: Path, measured: list[str]) -> None:
    load(read_catalogue(folder))
    measured.clear()
    edit(folder / "01-first-signal.toml", ("values = [25, 50, 100, 200, 400, 800]", "values = [50, 200, 800]"))
    changes = load(read_catalogue(folder))
    assert measured == changes.measured == changes.updated == ["first-signal"]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            "02-short-leash.toml",
            ("position = 2", "position = 1"),
            "has the chapter and position of 01-first-signal.toml",
        ),
        (
            "02-short-leash.toml",
            ('slug = "short-leash"', 'slug = "first-signal"'),
            "must be named NN-first-signal.toml",
        ),
        ("02-short-leash.toml", ("at_most = 0.80", 'at_most = "low"'), r"goals\[1\]: must be a number"),
    ],
)
def test_a_broken_catalogue_names_the_file(folder: Path, name: str, change: tuple[str, str], message: str) -> None:
    edit(folder / name, change)
    with pytest.raises(CommandError, match=f"^{name}: .*{message}"):
        call_command("load_missions", catalogue=folder)
    assert not Mission.objects.exists()


def test_an_empty_folder_retires_nothing(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    load(read_catalogue(folder))
    with pytest.raises(CommandError):
        call_command("load_missions", catalogue=tmp_path_factory.mktemp("empty"))
    assert Mission.objects.filter(is_retired=False).count() == 3
