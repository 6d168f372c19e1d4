#!/usr/bin/env bash
# Runs the ```console blocks of a page and compares what they print, standard error included, with
# what the page shows. A line that starts with `$ ` is a command, with `> ` its next line; the lines
# up to the next command are its output. `[exit N]` stands for an exit code other than 0. All blocks
# of a page run in one fresh folder, with `tidemark` on the path.
# Usage: run_console_blocks.sh PAGE.md PATH_OF_TIDEMARK
set -euo pipefail
page=$(readlink -f "$1")
tool=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/folder"
ln -s "$tool" "$work/bin/tidemark"
export PATH="$work/bin:$PATH"
cd "$work/folder"

blocks=0 failed=0
command="" expected="" command_line=0

# Runs the pending command and judges it.
judge() {
  [ -z "$command" ] && return
  local printed status=0
  printed=$(bash -c "$command" 2>&1 </dev/null) || status=$?
  [ "$status" -eq 0 ] || printed+="${printed:+$'\n'}[exit $status]"
  if [ "$printed" != "${expected%$'\n'}" ]; then
    failed=$((failed + 1))
    echo "$page:$command_line: $command"
    diff --label "the page shows" --label "it printed" -u \
      <(printf '%s' "$expected") <(printf '%s\n' "$printed") || true
  fi
  command="" expected=""
}

inside=no number=0
while IFS= read -r line; do
  number=$((number + 1))
  if [ "$inside" = no ]; then
    [ "$line" = '```console' ] && inside=yes && blocks=$((blocks + 1))
  elif [ "$line" = '```' ]; then
    judge
    inside=no
  elif [ "${line:0:2}" = '$ ' ]; then
    judge
    command=${line:2} command_line=$number
  elif [ "${line:0:2}" = '> ' ]; then
    command+=$'\n'${line:2}
  else
    expected+=$line$'\n'
  fi
done <"$page"

echo "$blocks blocks, $failed commands that print something else"
[ "$blocks" -gt 0 ] && [ "$failed" -eq 0 ]
