#!/bin/sh
# Print the instructions that a step of one game takes, for both forms of a game.
# Usage: benches/count.sh PROGRAM, which is the built `instructions`.
set -eu
steps=65536
printf '%-8s %9s %9s\n' '' fast general
for kind in flat uint8 packed sample; do
    printf '%-8s' "$kind"
    for form in fast general; do
        count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
            --toggle-collect=measured "$1" "$form" "$kind" 2>&1 |
            sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
        printf ' %9s' "$(awk "BEGIN { printf \"%.1f\", $count / $steps }")"
    done
    echo
done
