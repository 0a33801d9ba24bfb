id=$(curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/sport/sweeps" -H "Authorization: Bearer $EARSHOT_API_KEY" \
  --json '{"idempotencyKey": "launch-day"}' | jq -r .sweep.id)
until curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/sport/sweeps/$id" -H "Authorization: Bearer $EARSHOT_API_KEY" |
  jq -er 'select(.state != "running") | "\(.state): \(.progress.answered) of \(.progress.planned) answered"'; do sleep 1; done
