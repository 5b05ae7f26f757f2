#!/bin/sh
# Print how fast the hot loops are in the portable form, which processors without AVX2 run, beside the
# form for AVX2. Both are built from the same source; they take turns, and the best rate counts.
# Usage: benches/portable.sh FAST PORTABLE, the two programs. Exit code 1: something is slower than half.
set -eu

for _ in 1 2 3; do
    "$1" | sed 's/^/fast	/'
    "$2" | sed 's/^/portable	/'
done | awk -F '	' '
    !($2 in seen) { seen[$2]; names[++count] = $2 }
    $3 > best[$1, $2] { best[$1, $2] = $3 }
    END {
        printf "%-28s %12s %12s %8s\n", "one thread, a second", "AVX2", "portable", "ratio"
        for (i = 1; i <= count; i++) {
            name = names[i]
            ratio = best["portable", name] / best["fast", name]
            printf "%-28s %12d %12d %8.2f\n", name, best["fast", name], best["portable", name], ratio
            if (ratio < 0.5) slow = slow "\n  " name
        }
        if (slow) { print "slower than half:" slow; exit 1 }
    }'
