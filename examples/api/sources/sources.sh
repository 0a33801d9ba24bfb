curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/history/sources?by=domain&limit=10" -H "Authorization: Bearer $EARSHOT_API_KEY" |
  jq -r '.rows[] | "\(.target) \(.domain) (\(.type)): \(.citations)"'
