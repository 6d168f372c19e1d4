#!/usr/bin/env bash
# Installs to a fresh prefix, then configures, builds and runs a second project against it.
# Usage: install_and_find_package.sh BUILD_DIR SECOND_PROJECT_DIR
set -euo pipefail
build=$1
project=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null

# An exported target that names the build or source folder works here and nowhere else.
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
if grep -rnE -e "($build|$source)/|-Werror" "$work/prefix/lib"*/cmake; then
  echo "the exported targets name the build tree, or carry our warning flags"
  exit 1
fi

cmake -S "$project" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >/dev/null
cmake --build "$work/build"
"$work/build/second_project"
"$work/prefix/bin/tidemark" --version
