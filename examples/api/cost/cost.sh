curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/sport?dryRun=true" -H "Authorization: Bearer $EARSHOT_API_KEY" -X PUT \
  -H 'Content-Type: application/yaml' --data-binary @sport.yaml | jq -r '.tracker.cost | "\(.sweep) credits a sweep, \(.month) a month"'
