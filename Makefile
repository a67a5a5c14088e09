# Two commands do it all: `make compare` (the main job) and `make test`. Both set the environment up first.
PYTHON ?= python3
BIN := .venv/bin
EXTRAS := postgres semantic dask inspect parquet lsp play screening langchain  # all that go together
STAMP := .venv/.installed
# Processes of `make compare`, in each of which NeMo takes 0.2 GB.
WORKERS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1); echo $$((n > 4 ? 4 : n)))
export NEMO_GUARDRAILS_NO_USAGE_STATS := 1

.PHONY: setup compare compare-all test check gate format bench bench-harnesses demo lock clean
setup: $(STAMP)

$(STAMP): requirements/dev.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

compare: setup  ## every engine that is installed, on our slices: a table here, the rest in out/compare
	$(BIN)/carerails compare --workers $(WORKERS) --cache out/decisions --out out/compare $(ARGS)

compare-all: setup  ## every engine there is, measured one at a time; a stub stands in for a model. Writes docs/engines.md
	for name in guardrails-ai llm-guard; do $(BIN)/carerails engines | grep -q "^$$name .* available$$" \
	  || $(BIN)/carerails engines install $$name || true; done  # where it cannot be, the table says so
	$(BIN)/carerails engines table --stand-in --out docs/engines.md $(ARGS)

test: setup
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

check: setup  ## format, lint, types, rails, posture
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright --level error
	$(BIN)/carerails rails lint
	$(BIN)/carerails rails lint rails/output
	$(BIN)/carerails rails lint rails/screening
	$(BIN)/carerails rails fmt --check
	$(BIN)/carerails posture check

gate: setup  ## both engines against their accepted baselines
	$(BIN)/carerails eval gate --baseline evals/baselines/native.json
	$(BIN)/carerails eval gate --baseline evals/baselines/native-semantic.json --semantic local
	$(BIN)/carerails eval gate --baseline evals/baselines/nemo.json --workers 2 --cache out/decisions

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup  ## both engines side by side, as ratios
	$(BIN)/python -m evals.benchmarks $(ARGS)

bench-harnesses: setup .venv-bench/.installed  ## our runner beside other harnesses, which get an environment of their own
	$(BIN)/python -m evals.benchmarks harnesses

.venv-bench/.installed: requirements/bench.txt
	test -x .venv-bench/bin/python || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	touch $@

demo: setup  ## the same talk in three locales on both engines
	$(BIN)/carerails chat --engine native --script evals/demo/talk.txt
	$(BIN)/carerails chat --engine nemo --script evals/demo/talk.txt

lock:  ## needs uv
	uv pip compile pyproject.toml --group dev $(EXTRAS:%=--extra %) --universal --generate-hashes --no-annotate --no-header \
	  --python-version 3.10 --quiet --output-file requirements/dev.txt
	uv pip compile requirements/bench.in --universal --generate-hashes --no-annotate --no-header \
	  --python-version 3.10 --quiet --output-file requirements/bench.txt
	uv pip compile requirements/engines-guardrails-ai.in --universal --generate-hashes --no-annotate --no-header \
	  --python-version 3.10 --quiet --output-file requirements/engines-guardrails-ai.txt
	for lock in llm-guard llm-guard+weights; do \
	  uv pip compile requirements/engines-$$lock.in --excludes requirements/engines-$$lock.without --universal --generate-hashes \
	    --no-annotate --no-header --python-version 3.10 --quiet --output-file requirements/engines-$$lock.txt \
	    && sed -i '1i # Python 3.10 to 3.12' requirements/engines-$$lock.txt || exit 1; done

clean:
	rm -rf .venv .venv-bench out dist build .pytest_cache .ruff_cache
