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

# Boards of other sizes, beside the standard one: instructions of a step, the bytes of its observation
# and mask, and the bytes written by an instruction divided by those on the standard board.
printf '\n%-8s %-10s %9s %6s %9s\n' step board counted bytes 'per byte'
for kind in flat uint8 planes planes8; do
    standard=
    for board in standard 16x4 20 irregular 32 64 framed mixed; do
        case $kind-$board in flat-framed | flat-mixed | uint8-framed | uint8-mixed) continue ;; esac
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
