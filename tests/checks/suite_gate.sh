#!/usr/bin/env bash
# Runs `tidemark bench --suite ci` and holds its counters against those of a baseline: they must be
# the same. With --instructions, a job's instructions may differ by 2 %, if the baseline was built by
# the same compiler with the same flags. Rows per second are shown only. Then a changed counter is
# planted in the new run, which must fail: a gate that lets everything pass would not be noticed.
# Usage: suite_gate.sh PATH_OF_TIDEMARK BASELINE.json [--instructions]
set -euo pipefail
tidemark=$1
baseline=$2
with_instructions=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

built_by() { grep -E '"(compiler|build_type|flags|allocator)": ' "$1" | sort; }
refresh="if the change is meant: $tidemark bench --suite ci --instructions --json $baseline"

"$tidemark" bench --suite ci --repeat 3 $with_instructions --json "$work/new.json"
gate=(--gate counters --allow-different --instruction-tolerance 2%)
if [ -z "$with_instructions" ]; then
  gate+=(--ignore '*instructions')
elif grep -q '"instructions": null' "$work/new.json" "$baseline"; then
  echo "instructions are not compared: they were not counted"
  gate+=(--ignore '*instructions')
elif ! diff <(built_by "$baseline") <(built_by "$work/new.json"); then
  echo "instructions are not compared: the baseline was built in another way"
  gate+=(--ignore '*instructions')
fi

status=0
"$tidemark" compare "$baseline" "$work/new.json" "${gate[@]}" --json "$work/verdict.json" || status=$?
if [ "$status" -ne 0 ]; then
  echo "$refresh"
  exit "$status"
fi
# What has become less must not become more again unseen.
if grep -q '^  "verdict": "improved"' "$work/verdict.json"; then
  echo "the baseline has fallen behind; $refresh"
  exit 3
fi

sed '0,/"updates": /s//"updates": 9/' "$work/new.json" >"$work/planted.json"
status=0
"$tidemark" compare "$baseline" "$work/planted.json" "${gate[@]}" >/dev/null || status=$?
if [ "$status" -ne 3 ]; then
  echo "a counter with a 9 before it passes the gate with exit code $status, not 3"
  exit 1
fi
