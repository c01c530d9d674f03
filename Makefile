# make play: set up everything and serve the site.   make test: set up everything and run every check.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PORT   ?= 8000
STATE  := var/make

ICONS := arrow-left arrow-right check clock copy download eye flag flask-conical link lock pause play \
         rotate-ccw skip-back star triangle-alert undo-2 user x
FONTS := atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-normal.woff2 \
         atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-wght-italic.woff2 \
         atkinson-hyperlegible-mono/files/atkinson-hyperlegible-mono-latin-wght-normal.woff2 \
         source-serif-4/files/source-serif-4-latin-opsz-normal.woff2

.PHONY: help setup play test lint assets clean
help:
	@echo "make play    set up everything and serve the site on http://localhost:$(PORT)"
	@echo "make test    set up everything and run every check"
	@echo "make setup   install what the server needs, into $(VENV) and node_modules"
	@echo "make lint    format and type checks alone"

setup: $(STATE)/runtime $(STATE)/assets

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "UNIPO Missions needs Python 3.11 or newer: set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(STATE)/runtime: requirements.txt constraints.txt | $(BIN)/python
	@mkdir -p $(STATE)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt -c constraints.txt
	@touch $@

$(STATE)/dev: requirements-dev.txt requirements.txt constraints.txt | $(BIN)/python
	@mkdir -p $(STATE)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt -c constraints.txt
	@touch $@ $(STATE)/runtime

assets: $(STATE)/assets
$(STATE)/assets: package-lock.json package.json Makefile
	@command -v npm >/dev/null || \
	  { echo "npm is missing. Install Node.js 20 or newer with npm (Debian, Ubuntu: apt install nodejs npm)."; exit 1; }
	npm ci --silent
	@mkdir -p $(STATE) static_vendor/fonts static_vendor/icons static_vendor/chartjs
	@rm -f static_vendor/fonts/* static_vendor/icons/* static_vendor/chartjs/*
	@# The map the last line points to isn't served, so the line goes.
	@sed '/^\/\/# sourceMappingURL=/d' node_modules/chart.js/dist/chart.umd.min.js > static_vendor/chartjs/chart.umd.min.js
	@for f in $(FONTS); do cp node_modules/@fontsource-variable/$$f static_vendor/fonts/ || exit 1; done
	@for i in $(ICONS); do cp node_modules/lucide-static/icons/$$i.svg static_vendor/icons/ || exit 1; done
	@touch $@

play: setup
	@$(BIN)/python manage.py setup --quiet
	@echo ""
	@echo "  UNIPO Missions is on http://localhost:$(PORT)   (stop with Ctrl-C)"
	@echo ""
	@SITE_URL=$${SITE_URL:-http://localhost:$(PORT)} $(BIN)/gunicorn unipo_site.wsgi \
	  --bind 127.0.0.1:$(PORT) --workers 2 --threads 4 --log-level warning

lint: $(STATE)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy simulator/engine
	$(BIN)/djlint templates --check --lint --quiet

test: $(STATE)/dev setup lint
	$(BIN)/pytest

clean:
	rm -rf $(VENV) node_modules static_vendor static_root $(STATE)
