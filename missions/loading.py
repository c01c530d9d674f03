"""From the catalogue to the database: every mission file is a row, and nothing a student earned is ever lost."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction
from django.db.models import QuerySet

from missions.definition import STAR_NAMES, DefinitionError, MissionDefinition, parse_definition
from missions.evidence import Measurements, evidence_key, measure, setups_measured
from missions.looking import GENERATORS
from missions.models import Mission
from missions.models.own import OWN_SLUG
from missions.seeing import NothingToSeeError

CATALOGUE = Path(__file__).resolve().parent / "catalogue"


class CatalogueError(Exception):
    """A catalogue that can't be loaded; the message names the file."""


@dataclass(frozen=True)
class CatalogueEntry:
    """A mission and the file it was read from."""

    path: Path
    definition: MissionDefinition


@dataclass
class Changes:
    """What loading did, as slugs."""

    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    measured: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)


def read_catalogue(folder: Path = CATALOGUE) -> list[CatalogueEntry]:
    """Read every mission file (NN-slug.toml), in order of place. Raises CatalogueError."""
    entries = []
    for path in sorted(folder.glob("*.toml")):
        try:
            definition = parse_definition(path.read_text(encoding="utf-8"))
        except (DefinitionError, UnicodeDecodeError) as error:
            raise CatalogueError(f"{path.name}: {error}") from error
        if definition.slug.startswith(OWN_SLUG):
            raise CatalogueError(f"{path.name}: a slug that begins with {OWN_SLUG} belongs to missions written here")
        if definition.is_look:
            _refuse_unknown_generator(path, definition)
        elif definition.chapter is None or len(definition.verify) < len(STAR_NAMES):
            raise CatalogueError(f"{path.name}: needs a chapter, a position, and [verify] with each of its three")
        if path.stem.partition("-")[2] != definition.slug:
            raise CatalogueError(f"{path.name}: the file of {definition.slug} must be named NN-{definition.slug}.toml")
        entries.append(CatalogueEntry(path, definition))
    if not entries:
        raise CatalogueError(f"{folder.name}: there are no mission files")
    entries.sort(key=lambda entry: (entry.definition.chapter, entry.definition.position))
    _refuse_doubles(entries)
    return entries


def _refuse_unknown_generator(path: Path, definition: MissionDefinition) -> None:
    made_for = {name: generator.world for name, generator in GENERATORS.items()}
    if made_for.get(definition.generator) != definition.world.name:
        fitting = [name for name, world in made_for.items() if world == definition.world.name]
        raise CatalogueError(f"{path.name}: look.generator: must be one of {', '.join(fitting)}")


def _refuse_doubles(entries: Sequence[CatalogueEntry]) -> None:
    seen: dict[object, Path] = {}
    for entry in entries:
        place = (entry.definition.chapter, entry.definition.position)
        for name, key in (("slug", entry.definition.slug), ("chapter and position", place)):
            if key in seen:
                raise CatalogueError(f"{entry.path.name}: has the {name} of {seen[key].name}")
            seen[key] = entry.path


def load(entries: Sequence[CatalogueEntry]) -> Changes:
    """Make the rows those of the catalogue. Raises CatalogueError and changes nothing when an entry is refused.

    A row whose mission is gone is retired, not deleted: attempts and stars stay. What decides stars may change only
    together with a higher revision, so that an attempt's revision always tells what it was graded by.
    """
    # Seconds of computing: before the transaction, which keeps others from writing.
    evidence = _new_evidence(entries)
    changes = Changes(measured=list(evidence))
    with transaction.atomic():
        rows = {mission.slug: mission for mission in _built_in().select_for_update()}
        for entry in entries:
            if entry.definition.slug in rows:
                _refuse_silent_change(entry, rows[entry.definition.slug])
        stale = [
            mission for slug, mission in rows.items() if not mission.is_retired and not _is_current(mission, entries)
        ]
        # Retired for the moment, moving missions don't hold the places that others move to.
        Mission.objects.filter(pk__in=[mission.pk for mission in stale]).update(is_retired=True)
        for entry in entries:
            slug = entry.definition.slug
            is_new = slug not in rows
            mission = rows.get(slug) or Mission(slug=slug)
            if not is_new and slug not in evidence and not mission.is_retired and _is_current(mission, entries):
                changes.unchanged.append(slug)
                continue
            _fill(mission, entry.definition, evidence.get(slug, mission.evidence))
            mission.save()
            (changes.added if is_new else changes.updated).append(slug)
        slugs = {entry.definition.slug for entry in entries}
        changes.retired = [mission.slug for mission in stale if mission.slug not in slugs]
    return changes


def _built_in() -> QuerySet[Mission]:
    return Mission.objects.filter(source=Mission.Source.BUILT_IN)


def _new_evidence(entries: Sequence[CatalogueEntry]) -> dict[str, dict[str, object]]:
    keys = {mission.slug: mission.evidence.get("key") for mission in _built_in().only("slug", "evidence")}
    needed = [e.definition for e in entries if keys.get(e.definition.slug) != evidence_key(e.definition)]
    # Missions share worlds and starts, so they share runs.
    runs = Measurements(setup for definition in needed for setup in setups_measured(definition))
    runs.run_ahead()
    found = {}
    for definition in needed:
        try:
            found[definition.slug] = measure(definition, runs)
        except NothingToSeeError as error:
            raise CatalogueError(f"{definition.slug}: a view leads nowhere: {error}") from error
    return found


def _refuse_silent_change(entry: CatalogueEntry, mission: Mission) -> None:
    revision = entry.definition.revision
    if revision < mission.revision:
        raise CatalogueError(f"{entry.path.name}: revision {revision} is older than the loaded {mission.revision}")
    if revision == mission.revision and entry.definition.grading_digest != mission.grading_digest:
        raise CatalogueError(
            f"{entry.path.name}: start, controls, goals or budgets changed; raise revision above {mission.revision}"
        )


def _is_current(mission: Mission, entries: Sequence[CatalogueEntry]) -> bool:
    definition = next((e.definition for e in entries if e.definition.slug == mission.slug), None)
    return definition is not None and mission.definition == definition.source


def _fill(mission: Mission, definition: MissionDefinition, evidence: dict[str, object]) -> None:
    mission.chapter, mission.position = definition.chapter, definition.position
    mission.revision, mission.title = definition.revision, definition.title
    mission.definition, mission.grading_digest = dict(definition.source), definition.grading_digest
    mission.evidence = evidence
    mission.is_retired = False
