#!/bin/sh
# Print the instructions that a step of one game takes, for both forms of a game, and those of a
# simulation of a tree search and of a node of minimax, for boards of 16, 20, 32 and 64 cells.
# Usage: benches/count.sh FOLDER, in which `instructions`, `search` and `minimax` have been built.
set -eu

# One line: its name, how often the counted work happens, the program, and the forms or boards.
count() {
    name=$1
    times=$2
    program=$3
    shift 3
    printf '%-8s' "$name"
    for form in "$@"; do
        counted=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
            --toggle-collect=measured "$program" "$form" "$name" 2>&1 |
            sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
        printf ' %9s' "$(awk "BEGIN { printf \"%.1f\", $counted / $times }")"
    done
    echo
}

printf '%-8s %9s %9s\n' '' fast general
for kind in flat uint8 packed sample; do
    count "$kind" 65536 "$1/instructions" fast general
done
printf '%-8s %9s %9s %9s %9s\n' '' '16 cells' 20 32 64
for rule in puct noisy gumbel; do
    count "$rule" 32768 "$1/search" fast 20 32 64
done
count minimax 32768 "$1/minimax" fast 20 32 64
