curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/history/metrics?metric=visibility&by=brand" -H "Authorization: Bearer $EARSHOT_API_KEY" |
  jq -r '.rows[] | "\(.brand): \(100 * .value | round)%, \(.interval.rerun | map("\(100 * . | round)%") | join(" to "))"'
