#!/usr/bin/env bash
# Shows that the source checks pass on a clean tree and fail on each thing they forbid.
# Usage: checks_catch.sh DIRECTORY_OF_THE_CHECKS
set -euo pipefail
checks=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{runtime,operators,connectors,perf,cli}

refuses() { # refuses CHECK FILE CONTENT
  printf '%b\n' "$3" >"$root/$2"
  if bash "$checks/$1" "$root" >/dev/null; then
    echo "$1 let pass: $2 holding: ${3:0:60}"
    exit 1
  fi
  rm "$root/$2"
}
accepts() { # accepts CHECK FILE CONTENT
  printf '%b\n' "$3" >"$root/$2"
  bash "$checks/$1" "$root" || { echo "$1 refused: $2 holding: ${3:0:60}"; exit 1; }
}

long=$(printf 'int a;\\n%.0s' {1..501})
accepts import_arrow.sh cli/main.cc '#include "tidemark/perf/report.h"\n#include <runtime>'
accepts import_arrow.sh operators/pane.h '#include "tidemark/runtime/batch.h"'
refuses import_arrow.sh runtime/batch.h '#include "tidemark/operators/pane.h"'
refuses import_arrow.sh operators/sink.cc '#  include "tidemark/connectors/csv.h"'
refuses import_arrow.sh connectors/csv.cc '#include "perf/load.h"'
refuses import_arrow.sh perf/load.cc '#include "cli/options.h"'
accepts source_hygiene.sh runtime/time.h 'int now;'
refuses source_hygiene.sh runtime/time_utils.h 'int now;'
refuses source_hygiene.sh runtime/common.cc 'int now;'
refuses source_hygiene.sh runtime/state_manager.h 'int now;'
refuses source_hygiene.sh runtime/pane.cc "$long"
for mark in TODO FIXME XXX HACK; do
  refuses source_hygiene.sh runtime/pane.h "// $mark: later"
  refuses source_hygiene.sh README.md "$mark"
done
