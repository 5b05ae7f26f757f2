#!/bin/sh
# Print the instructions that a step of one game takes, and a simulation of a tree search, for both
# forms of a game.
# Usage: benches/count.sh FOLDER, in which `instructions` and `search` have been built.
set -eu

# One line: its name, how often the counted work happens, and the program.
count() {
    printf '%-8s' "$1"
    for form in fast general; do
        counted=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
            --toggle-collect=measured "$3" "$form" "$1" 2>&1 |
            sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
        printf ' %9s' "$(awk "BEGIN { printf \"%.1f\", $counted / $2 }")"
    done
    echo
}

printf '%-8s %9s %9s\n' '' fast general
for kind in flat uint8 packed sample; do
    count "$kind" 65536 "$1/instructions"
done
for rule in puct noisy gumbel; do
    count "$rule" 32768 "$1/search"
done
