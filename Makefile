# make play: set up everything and serve the site.   make test: set up everything and run every check.
# The first of these that is new enough; `make setup PYTHON=/path/to/python` overrules it.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
            $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
HOST   ?= 127.0.0.1
PORT   ?= 8000
VENV   := .venv
BIN    := $(VENV)/bin
PARITY := .venv-parity
# An index that has torch's CPU build, for machines on which pip finds a larger one: make parity TORCH_INDEX=ADDRESS
TORCH_INDEX ?=
# What is made says itself that it is: a deleted .venv or static_vendor is made again.
RUNTIME := $(VENV)/.runtime
DEV     := $(VENV)/.dev
KERNELS := $(VENV)/.kernels
ASSETS  := static_vendor/.made
TRL     := $(PARITY)/.installed

ICONS := arrow-left arrow-right check clock copy download eye flag flask-conical link lock minus pause play \
         rotate-ccw skip-back star triangle-alert undo-2 user x
FONTS := atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-normal.woff2 \
         atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-italic.woff2 \
         atkinson-hyperlegible-mono/files/atkinson-hyperlegible-mono-latin-wght-normal.woff2 \
         source-serif-4/files/source-serif-4-latin-opsz-normal.woff2

.PHONY: help setup play demo test parity screenshots lint assets clean
help:
	@echo "make play    set up everything and serve the site on http://localhost:$(PORT); PORT=8001 takes another port"
	@echo "make demo    add a course with 40 invented students to look around in; DEMO=--replace makes it anew"
	@echo "make test    set up everything and run every check"
	@echo "make parity  hold the formulas against TRL's own code, in $(PARITY), which takes 2 GB"
	@echo "make screenshots  take the pictures in docs/screenshots anew, with a demo course of their own"
	@echo "make setup   install what the server needs, into $(VENV), node_modules and static_vendor, and compile"
	@echo "make lint    format and type checks alone"
	@echo "make clean   remove all that was installed; the data in var stays"

setup: $(RUNTIME) $(KERNELS) $(ASSETS)

$(BIN)/python $(PARITY)/bin/python:
	@test -n "$(PYTHON)" || \
	  { echo "UNIPO Missions needs Python 3.11 or newer. If it is installed: make $(MAKECMDGOALS) PYTHON=/path/to/python3"; exit 1; }
	@echo "Installing Python packages into $(@D:/bin=)"
	@$(PYTHON) -m venv $(@D:/bin=) || { rm -rf $(@D:/bin=); echo "(Debian, Ubuntu: apt install python3-venv)"; exit 1; }

$(RUNTIME): requirements.txt constraints.txt | $(BIN)/python
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@

$(DEV): requirements-dev.txt requirements.txt constraints.txt | $(BIN)/python
	@$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt -c constraints.txt
	@touch $@ $(RUNTIME)

# Compiling all of torch in advance takes longer than the tests: what they import is compiled when it is first needed.
$(TRL): tests/parity/requirements.txt tests/parity/constraints.txt constraints.txt | $(PARITY)/bin/python
	@$(PARITY)/bin/pip install --quiet --no-compile --disable-pip-version-check \
	  $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) \
	  -r tests/parity/requirements.txt -c tests/parity/constraints.txt -c constraints.txt
	@touch $@

$(KERNELS): $(RUNTIME) $(shell find simulator/engine -name '*.py')
	@echo "Compiling the simulation"
	@$(BIN)/python -m unipo_site.warm
	@touch $@

assets: $(ASSETS)
$(ASSETS): package-lock.json package.json Makefile
	@command -v npm >/dev/null || \
	  { echo "npm is missing. Install Node.js 20 or newer with npm (Debian, Ubuntu: apt install nodejs npm)."; exit 1; }
	@echo "Fetching fonts, icons and the chart library into node_modules"
	@npm ci --silent --no-fund --no-audit
	@rm -rf static_vendor && mkdir -p static_vendor/fonts static_vendor/icons static_vendor/chartjs
	@# The map the last line points to isn't served, so the line goes.
	@sed '/^\/\/# sourceMappingURL=/d' node_modules/chart.js/dist/chart.umd.min.js > static_vendor/chartjs/chart.umd.min.js
	@for f in $(FONTS); do cp node_modules/@fontsource-variable/$$f static_vendor/fonts/ || exit 1; done
	@for i in $(ICONS); do cp node_modules/lucide-static/icons/$$i.svg static_vendor/icons/ || exit 1; done
	@touch $@

play: export SITE_URL ?= http://localhost:$(PORT)
play: setup
	@$(BIN)/python -c 'import socket; socket.create_server(("$(HOST)", $(PORT))).close()' 2>/dev/null || \
	  { echo "Port $(PORT) can't be used; most likely something is using it already. Another one: make play PORT=8001"; exit 1; }
	@$(BIN)/python manage.py setup --quiet
	@echo ""
	@echo "  UNIPO Missions is on $$SITE_URL   (stop with Ctrl-C)"
	@echo ""
	@# Server and worker end together, by Ctrl-C, by a signal to make, or when the server ends by itself.
	@trap 'kill $$server $$worker 2>/dev/null' INT TERM HUP; \
	  $(BIN)/python manage.py worker --verbosity 0 & worker=$$!; \
	  $(BIN)/gunicorn unipo_site.wsgi --bind $(HOST):$(PORT) --workers 2 --threads 4 \
	  --graceful-timeout 3 --log-level warning & server=$$!; \
	  wait $$server; status=$$?; kill $$worker 2>/dev/null; wait; [ $$status -gt 128 ] || exit $$status

demo: export SITE_URL ?= http://localhost:$(PORT)
demo: setup
	@$(BIN)/python manage.py setup --quiet --noinput
	@$(BIN)/python manage.py demo $(DEMO)

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy simulator/engine
	$(BIN)/djlint templates --lint --quiet

test: setup $(DEV) lint
	$(BIN)/pytest

parity: $(TRL)
	PYTHONDONTWRITEBYTECODE= $(PARITY)/bin/python -m pytest -c tests/parity/pytest.ini --rootdir . \
	  --confcutdir tests/parity tests/parity

screenshots: setup $(DEV)
	@$(BIN)/python -m tests.browser.screenshots

clean:
	rm -rf $(VENV) $(PARITY) node_modules static_vendor static_root test-results simulator/engine/__pycache__/kernels
