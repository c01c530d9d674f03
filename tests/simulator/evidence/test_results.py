"""The committed results are those of the registry, and the claims still hold when they are measured again."""

import copy
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from simulator.evidence import results
from simulator.evidence.claim import Claim, contradictions, verdict
from simulator.evidence.findings import PLACEHOLDER, fill
from simulator.evidence.measure import Laboratory
from simulator.evidence.registry import BY_NAME, CLAIMS
from simulator.interval import Interval

LABORATORY = Laboratory()


def test_every_claim_has_results_of_the_present_engine_and_setups() -> None:
    stored = results.read()
    stale = [claim.name for claim in CLAIMS if stored.get(claim.name, {}).get("key") != results.key(claim)]
    assert not stale, "measure them again: manage.py evidence --stale"
    assert list(stored) == list(BY_NAME)
    for claim in CLAIMS:
        assert stored[claim.name]["setups"] == {arm.name: arm.setup.run_hash[:16] for arm in claim.arms}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_what_a_claim_says_is_what_was_measured(claim: Claim) -> None:
    found = results.results()[claim.name]
    assert not contradictions(claim, found.intervals)
    assert PLACEHOLDER.search(claim.finding) and "{" not in fill(claim.finding, claim, found)
    for text in (claim.statement, claim.reason, claim.limits, claim.unmeasured):
        assert "{" not in text


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.sample], ids=lambda claim: claim.name)
def test_a_claim_holds_on_its_first_seeds(claim: Claim) -> None:
    fresh = LABORATORY.measure(claim, claim.seeds[: claim.sample])
    assert not contradictions(claim, fresh.intervals)
    assert verdict(claim, fresh.intervals) is verdict(claim, results.results()[claim.name].intervals)


def test_names_are_addresses_and_unique() -> None:
    assert len(BY_NAME) == len(CLAIMS)
    assert all(name.replace("-", "").isalnum() and name == name.lower() for name in BY_NAME)


def test_a_result_that_moved_is_named() -> None:
    stored = results.read()["hump"]
    assert not results.differences(stored, copy.deepcopy(stored))
    moved = copy.deepcopy(stored)
    moved["effects"]["fall"]["mean"] += 1.1 * stored["effects"]["fall"]["half_width"]
    moved["arms"]["late"]["columns"]["win_rate"][0] += 0.5
    assert [text.split(":")[0] for text in results.differences(stored, moved)] == ["effect fall", "win_rate of late"]
    moved["setups"]["late"] = "other"
    assert results.differences(stored, moved) == ["setups differs"]


def test_a_key_changes_with_what_it_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = BY_NAME["hump"]
    before = results.key(claim)
    assert before == results.key(copy.deepcopy(claim))
    monkeypatch.setattr(results, "ENGINE_VERSION", "another")
    assert results.key(claim) != before


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    committed = results.PATH.read_text()
    path = tmp_path / "results.json"
    monkeypatch.setattr(results.read, "__defaults__", (path,))
    monkeypatch.setattr(results.write, "__defaults__", (path,))
    names = ["single-responses", "best-of-group"]

    with pytest.raises(CommandError, match="1 of 1 claims do not hold"):
        call_command("evidence", "--check", "--only", names[0])
    assert "nothing is stored" in capsys.readouterr().out and not path.exists()

    call_command("evidence", "--only", *names)
    assert "single-responses" in capsys.readouterr().out
    kept = path.read_text()
    for line in kept.splitlines()[3:-3]:
        assert line.rstrip(",") in committed

    call_command("evidence", "--check", "--only", *names)
    assert "2 of them to the last digit" in capsys.readouterr().out
    call_command("evidence", "--stale", "--only", *names)
    assert "0 claims" in capsys.readouterr().out and path.read_text() == kept

    path.write_text(kept.replace('"mean": ', '"mean": 9', 1))
    with pytest.raises(CommandError, match="single-responses"):
        call_command("evidence", "--check", "--only", *names)
    with pytest.raises(CommandError, match="no claim 'nobody'"):
        call_command("evidence", "--only", "nobody")


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_every_claim_can_fail(claim: Claim) -> None:
    kinds = {effect.name: effect.expected.kind for effect in claim.effects if effect.expected is not None}
    elsewhere = {name: Interval(-1e4 if kind == "above" else 1e4, 0) for name, kind in kinds.items()}
    assert len(contradictions(claim, elsewhere)) == sum(kind != "any" for kind in kinds.values()) > 0
