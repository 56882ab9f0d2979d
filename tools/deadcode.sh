#!/usr/bin/env bash
# Fails on functions that nothing reaches, not even a test, and on those of the program
# that only tests reach, but for the ones in tools/deadcode.txt. Generated code is left out.
set -euo pipefail
cd "$(dirname "$0")/.."

# find_dead prints the name and place of each function that no main, or with -test no
# test either, reaches. Other programs call the functions of client, which is a module of its own.
find_dead() {
  go tool -modfile=tools/go.mod deadcode -f '{{range .Funcs}}{{printf "%s.%s %s\n" $.Path .Name .Position}}{{end}}' "$@" ./... |
    sed '/^vitrine\/client[./]/d'
}

mapfile -t allowed < <(sed 's/[[:space:]]*#.*//' tools/deadcode.txt | grep .)
declare -A used=()
failed=0

unreached="$(find_dead -test)"
tested="$(find_dead)"

while read -r name place; do
  [[ -n "$name" ]] || continue
  echo "$place: $name: nothing reaches it: remove it"
  failed=1
done <<<"$unreached"

while read -r name place; do
  [[ -n "$name" ]] || continue
  found=""
  for pattern in "${allowed[@]}"; do
    # shellcheck disable=SC2053 # a pattern
    if [[ "$name" == $pattern ]]; then used["$pattern"]=1 found=1; fi
  done
  if [[ -z "$found" ]] && ! grep -qF "$name $place" <<<"$unreached"; then
    echo "$place: $name: only tests reach it: move it to them, or add it to tools/deadcode.txt with the reason"
    failed=1
  fi
done <<<"$tested"

for pattern in "${allowed[@]}"; do
  if [[ -z "${used["$pattern"]-}" ]]; then
    echo "tools/deadcode.txt: $pattern is no exception any more: remove it"
    failed=1
  fi
done
exit "$failed"
