#!/usr/bin/env bash
# Runs TRACKER now and waits until all answers have arrived. If the job runs again on the same
# day, it waits for the sweep of the first run.
set -euo pipefail

sweeps=$EARSHOT_URL/v1/trackers/$TRACKER/sweeps
call() { curl -sS --fail-with-body -H "Authorization: Bearer $EARSHOT_API_KEY" "$@"; }

sweep=$(call "$sweeps" --json "{\"idempotencyKey\": \"nightly-$(date -u +%F)\"}" | jq .sweep)
while [[ $(jq -r .state <<<"$sweep") == running ]]; do
	sleep 2
	sweep=$(call "$sweeps/$(jq -r .id <<<"$sweep")")
done
jq -r '"The sweep is \(.state): \(.progress.answered) of \(.progress.planned) prompts answered."' <<<"$sweep"
[[ $(jq -r .state <<<"$sweep") == closed ]]
