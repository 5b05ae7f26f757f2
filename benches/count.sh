#!/bin/sh
# Print the instructions that a step of the standard board takes in both forms of a game, and those of a
# simulation of a tree search and of a node of minimax on boards of many sizes.
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
# `blocks` are five blocks (20 cells); `on_canvas` is one board of four blocks on the canvas of all such
# boards, and `mixed` are all of them.
printf '\n%-8s %9s %9s %9s %9s %9s %9s\n' '' standard blocks 32 64 on_canvas mixed
for rule in puct noisy gumbel; do
    count "$rule" 32768 "$1/search" standard blocks 32 64 on_canvas mixed
done

# Boards of other sizes, beside the standard one: instructions of a step, the bytes of its observation
# and mask, and the bytes written by an instruction divided by those on the standard board.
printf '\n%-8s %-10s %9s %6s %9s\n' step board counted bytes 'per byte'
for kind in flat uint8 planes planes8; do
    standard=
    for board in standard 16x4 20 irregular 32 64 on_canvas mixed; do
        case $kind-$board in flat-on_canvas | flat-mixed | uint8-on_canvas | uint8-mixed) continue ;; esac
        output=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
            --toggle-collect=measured "$1/instructions" "$board" fast "$kind" 2>&1)
        bytes=$(echo "$output" | sed -n 's/^\([0-9]*\)$/\1/p')
        counted=$(echo "$output" | sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
        rate=$(awk "BEGIN { print $bytes / $counted }")
        standard=${standard:-$rate}
        awk "BEGIN { printf \"%-8s %-10s %9.1f %6d %9.2f\n\", \"$kind\", \"$board\", \
            $counted / 65536, $bytes, $rate / $standard }"
    done
done
printf '\n%-8s %9s %9s %9s %9s %9s\n' '' standard 20 irregular 32 64
count minimax 32768 "$1/minimax" standard 20 irregular 32 64
