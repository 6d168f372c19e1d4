#!/usr/bin/env bash
# Every ```cpp block of a page that follows a line `[examples/NAME.cc](...)...` must be that file,
# and every ```text block that follows one of `[examples/NAME.expected](...)...`, too.
# Usage: check_code_blocks.sh PAGE.md SOURCE_DIR
set -euo pipefail
page=$1
source=$2

blocks=0 failed=0 inside=no file="" text=""
while IFS= read -r line; do
  if [ "$inside" = no ]; then
    if [[ "$line" =~ ^\[(examples/[a-z_]+\.(cc|expected))\] ]]; then
      file=${BASH_REMATCH[1]}
    elif [ -n "$file" ] && [[ "$line" =~ ^\`\`\`(cpp|text)$ ]]; then
      inside=yes text=""
    fi
  elif [ "$line" = '```' ]; then
    blocks=$((blocks + 1))
    if ! diff -u --label "the page shows" --label "$file" <(printf '%s' "$text") "$source/$file"; then
      failed=$((failed + 1))
    fi
    inside=no file=""
  else
    text+=$line$'\n'
  fi
done <"$page"

echo "$blocks code blocks, $failed that differ from their file"
[ "$blocks" -gt 0 ] && [ "$failed" -eq 0 ]
