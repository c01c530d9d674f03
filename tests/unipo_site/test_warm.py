"""Workers find the simulation compiled."""

import importlib.util
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from simulator.engine import compiled
from unipo_site import warm

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def gunicorn_hooks():
    spec = importlib.util.spec_from_file_location("gunicorn_hooks", ROOT / "gunicorn.conf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def log():
    said = []
    return SimpleNamespace(said=said, warning=said.append, exception=said.append)


def test_the_server_compiles_before_it_starts_workers(gunicorn_hooks, log, monkeypatch, tmp_path):
    monkeypatch.setattr(gunicorn_hooks.tempfile, "mkdtemp", lambda prefix: str(tmp_path / "private"))
    (tmp_path / "private").mkdir()
    before = dict(os.environ)
    gunicorn_hooks.on_starting(SimpleNamespace(log=log))
    assert log.said == [] and os.environ == before
    assert not (tmp_path / "private").exists()


def test_workers_are_told_where_compiled_code_is_if_it_cannot_be_kept(gunicorn_hooks, log, monkeypatch, tmp_path):
    monkeypatch.setenv("UNIPO_KERNEL_CACHE", "/nowhere")
    monkeypatch.setattr(gunicorn_hooks.tempfile, "mkdtemp", lambda prefix: str(tmp_path))

    def compile_privately(command, **options):
        Path(command[-1], "kernels-0123").mkdir()
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(gunicorn_hooks.subprocess, "run", compile_privately)
    gunicorn_hooks.on_starting(SimpleNamespace(log=log))
    assert os.environ["UNIPO_KERNEL_CACHE"] == str(tmp_path)
    gunicorn_hooks.on_exit(None)
    assert not tmp_path.exists()


def test_a_server_that_cannot_compile_says_so_and_starts(gunicorn_hooks, log, monkeypatch):
    monkeypatch.setattr(gunicorn_hooks.subprocess, "run", lambda *args, **options: SimpleNamespace(returncode=1))
    gunicorn_hooks.on_starting(SimpleNamespace(log=log))
    assert len(log.said) == 1
    monkeypatch.setattr("simulator.engine.warm.warm", lambda: 1 / 0)
    gunicorn_hooks.post_worker_init(SimpleNamespace(log=log))
    assert len(log.said) == 2


def test_a_worker_is_ready_when_it_serves(gunicorn_hooks, log):
    gunicorn_hooks.post_worker_init(SimpleNamespace(log=log))
    assert log.said == []


def test_private_kernels_are_handed_on(monkeypatch, tmp_path):
    private, folder = tmp_path / "private", tmp_path / "folder"
    private.mkdir()
    (private / "kernel.nbi").write_text("compiled")
    folder.mkdir()
    monkeypatch.setattr(compiled, "_folder", private)
    warm.main(folder)
    assert (folder / f"kernels-{compiled.source_digest()}" / "kernel.nbi").read_text() == "compiled"
