#!/usr/bin/env bash
# Measures our queue and other queues, and prints the ratio of each rate to River's.
#
#   scripts/bench-queues.sh [ROUNDS]
#
# The speed of a shared machine changes within minutes. So each round measures the queues right
# after each other, and the result is the median of the rounds' ratios. Run it with make bench,
# which starts the servers that it needs.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-3}
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
rates=$temporary/rates

# Build before measuring, because the linker keeps the disk busy for a while.
ours=test/bench river=test/bench/peers riversqlite=test/bench/peers/riversqlite
for dir in $ours $river $riversqlite; do
	go test -C $dir -c -o "$temporary/${dir##*/}" .
done
sync

# measure DIR PATTERN prints the results of benchmarks and stores their rates.
measure() {
	(cd "$1" && "$temporary/${1##*/}" -test.run '^$' -test.bench "$2" -test.benchtime 1x -test.timeout 30m) | tee -a /dev/stderr |
		awk -v round="$round" '/^Benchmark/ { for (i = 2; i <= NF; i++) if ($i == "tasks/s") print round, $1, $(i - 1) }' >>"$rates"
}

for ((round = 1; round <= rounds; round++)); do
	measure $ours Tasks/sqlite
	measure $riversqlite River
	measure $ours Tasks/postgres
	measure $river River
done
measure $ours Tasks/citus
measure $river Asynq

echo "times River, the median of $rounds rounds and the rounds:"
awk '
	{ split($2, part, "/"); sub(/-[0-9]+$/, "", part[2]); sub(/-[0-9]+$/, "", part[3]) }
	part[1] ~ /^BenchmarkRiver/ { river[$1, part[2]] = $3 }
	part[1] ~ /^BenchmarkTasks/ { names[part[2] "/" part[3]] = part[2]; ours[$1, part[2] "/" part[3]] = $3; if ($1 > rounds) rounds = $1 }
	END {
		for (name in names) {
			n = 0
			for (r = 1; r <= rounds; r++)
				if ((r, names[name]) in river && (r, name) in ours) ratios[++n] = ours[r, name] / river[r, names[name]]
			if (n == 0) continue
			for (i = 2; i <= n; i++)
				for (k = i; k > 1 && ratios[k] < ratios[k - 1]; k--) { swap = ratios[k]; ratios[k] = ratios[k - 1]; ratios[k - 1] = swap }
			all = ""
			for (i = 1; i <= n; i++) all = all sprintf(" %.2f", ratios[i])
			printf "%-30s %.2f  %s\n", name, n % 2 ? ratios[(n + 1) / 2] : (ratios[n / 2] + ratios[n / 2 + 1]) / 2, all
		}
	}' "$rates" | sort
