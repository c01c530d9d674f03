"""Pages of runs that an address describes: the three views, and a run as a file."""

import csv
from collections.abc import Iterator

import numpy as np
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from simulator.engine import SetupError
from simulator.explorer.address import pairs_of
from simulator.explorer.page import Frame, read_run, respond, taken_apart
from simulator.explorer.source import Source, source_of
from simulator.lab.link import Run
from simulator.records import canonical_text, record_of
from simulator.runs import train_for_a_while
from simulator.worlds import world_of


@require_safe
def run(request: HttpRequest) -> HttpResponse:
    """A run in three views; without a setup in the address, one with all defaults."""
    asked = taken_apart(request.META.get("QUERY_STRING", ""))
    found, errors, notes = read_run(asked.run)
    if found is None:
        return render(request, "explorer/refused.html", {"errors": errors, "lab": _lab(request)}, status=400)
    world = world_of(found.setup)
    lab = f"{reverse(world.lab)}?{found.query()}"
    frame = Frame(
        title=f"{_name(found)}, seed {found.seed}",
        crumbs=[("Lab", lab)],
    )
    return respond(request, found, reverse("run"), pairs_of(found), frame, notes)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Every metric at every update, as CSV."""
    found = _run_or_404(request)
    response = StreamingHttpResponse(_rows(source_of(found.setup, found.seed)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{_file(found)}.csv"'
    return response


@require_safe
def export(request: HttpRequest, kind: str) -> HttpResponse:
    """The run as a UNIPO canonical log."""
    if kind not in ("json", "jsonl"):
        raise Http404("No such kind of log")
    found = _run_or_404(request)
    try:
        record = record_of(found.setup, found.seed)
    except SetupError as error:
        return render(
            request, "explorer/refused.html", {"errors": {error.field: error.message}, "lab": _lab(request)}, status=400
        )
    while train_for_a_while([(found.setup, found.seed)]) is not None:
        pass
    kinds = {"json": "application/json", "jsonl": "application/x-ndjson"}
    pieces = (text for _, text in canonical_text(record, is_lines=kind == "jsonl"))
    response = StreamingHttpResponse(pieces, content_type=kinds[kind])
    response["Content-Disposition"] = f'attachment; filename="{_file(found)}.{kind}"'
    return response


def _run_or_404(request: HttpRequest) -> Run:
    found, _, _ = read_run(taken_apart(request.META.get("QUERY_STRING", "")).run)
    if found is None:
        raise Http404("No such run")
    return found


def _name(found: Run) -> str:
    world = world_of(found.setup)
    chooser = "method" if found.setup.world == "candidates" else "algorithm"
    return world.setting_value(chooser, getattr(found.setup, chooser))


def _file(found: Run) -> str:
    return f"unipo-{slugify(_name(found))}-seed-{found.seed}"


def _lab(request: HttpRequest) -> str:
    given = dict(taken_apart(request.META.get("QUERY_STRING", "")).run)
    return reverse("lab" if given.get("world") == "candidates" or "method" in given else "lab_reasoning")


class _Line:
    """What a csv writer writes, one line at a time."""

    def write(self, text: str) -> str:
        return text


def _rows(source: Source) -> Iterator[str]:
    writer = csv.writer(_Line())
    names = list(source.series)
    yield writer.writerow(["update", "step", "update_in_step", *names])
    columns = []
    for name in names:
        column = np.full(source.updates + 1, np.nan)
        column[source.series[name].places] = source.series[name].values
        columns.append(column)
    for place in range(1, source.updates + 1):
        values = [repr(float(column[place])) if np.isfinite(column[place]) else "" for column in columns]
        yield writer.writerow([place, int(source.rollouts[place - 1]), source.place_in_rollout(place)[0], *values])
