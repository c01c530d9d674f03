"""What gunicorn does beyond its command line; it finds this file in the folder that it is started in.

Students must never wait for a compiler. The simulation is compiled once, before the workers start, and each worker
loads it before it answers its first request.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

# So much later a worker answers requests, ready or not; otherwise gunicorn would take it for dead.
MOST_SECONDS_BEFORE_SERVING = 10

_folders = []


def on_starting(server):
    # In a process of its own: this one must not hold the simulation, or after an update its workers would get the old
    # one from it.
    folder = tempfile.mkdtemp(prefix="unipo-kernels-")
    command = [sys.executable, "-m", "unipo_site.warm", folder]
    if subprocess.run(command, cwd=Path(__file__).parent, check=False).returncode:  # noqa: S603
        server.log.warning("The simulation could not be compiled beforehand; who trains first will wait.")
    if os.listdir(folder):
        # Compiled code can't be kept where it should be, so this server's workers find it here.
        os.environ["UNIPO_KERNEL_CACHE"] = folder
        _folders.append(folder)
    else:
        os.rmdir(folder)


on_reload = on_starting


def on_exit(server):
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)


def post_worker_init(worker):
    warming = threading.Thread(target=_warm, args=(worker.log,), name="warm-up", daemon=True)
    warming.start()
    warming.join(MOST_SECONDS_BEFORE_SERVING)
    from classroom.garbage import look_less_often

    look_less_often()


def _warm(log):
    from simulator.engine.warm import warm

    try:
        warm()
    except Exception:
        log.exception("The simulation could not be made ready; who trains first will wait.")
