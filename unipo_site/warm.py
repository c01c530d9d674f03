"""Compile the simulation before anyone waits for it: ``python -m unipo_site.warm [FOLDER]``.

Reads `.env` for where compiled code is kept, and needs neither Django's settings nor a database. If it can't be kept
there, it is put below FOLDER.
"""

import shutil
import sys
from pathlib import Path

import environ


def main(folder: Path | None) -> None:
    environ.Env.read_env(Path(__file__).resolve().parent.parent / ".env")
    # Only now: where compiled code is kept is decided at import.
    from simulator.engine.compiled import cache_folder, is_private, open_cache, source_digest
    from simulator.engine.warm import warm
    from simulator.explorer import whatif

    warm()
    whatif.warm()
    if folder is not None and is_private():
        shutil.copytree(cache_folder(), open_cache(folder, source_digest()), dirs_exist_ok=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
