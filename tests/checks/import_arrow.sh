#!/usr/bin/env bash
# Imports run one way: runtime <- operators <- connectors <- perf <- cli. Lists every #include that
# runs against it. Usage: import_arrow.sh SOURCE_DIR
set -euo pipefail
cd "$1"

layers=(runtime operators connectors perf cli)
status=0
above=""
for ((i = ${#layers[@]} - 1; i >= 0; i--)); do
  layer=${layers[$i]}
  if [ -n "$above" ] && [ -d "$layer" ]; then
    if hits=$(grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"](tidemark/)?($above)/" \
      --include='*.h' --include='*.cc' "$layer"); then
      echo "$layer may not include what stands above it ($above):"
      echo "$hits"
      status=1
    fi
  fi
  above="$layer${above:+|$above}"
done
exit $status
