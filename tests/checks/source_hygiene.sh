#!/usr/bin/env bash
# File names that say nothing, files that hold more than one concept, and marks of unfinished work.
# Usage: source_hygiene.sh SOURCE_DIR
set -euo pipefail
cd "$1"

status=0
report() {
  [ -z "$2" ] && return
  echo "$1"
  echo "$2"
  status=1
}

list() {
  find . \( -name .git -o -name build -o -name .cache \) -prune -o -type f "$@" -print
}

report "a name must say which concept it holds:" "$(
  find . \( -name .git -o -name build -o -name .cache \) -prune -o \
    -regextype posix-extended -regex '.*/([a-z_]*_)?(utils?|common|helpers?|misc|managers?)(_[a-z_]*)?(\.[a-z]+)?' -print
)"
report "longer than 500 lines; is there a second concept in it?" "$(
  list \( -name '*.h' -o -name '*.cc' \) | while read -r file; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt 500 ]; then echo "$file: $lines lines"; fi
  done
)"
report "unfinished, by its own words:" "$(
  list \( -name '*.h' -o -name '*.cc' -o -name '*.md' \) |
    xargs -r grep -nE '\b(TODO|FIXME|XXX|HACK)\b' || true
)"
exit $status
