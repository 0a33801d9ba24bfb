curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/history/names/try" -H "Authorization: Bearer $EARSHOT_API_KEY" \
  --json '{"brand": "Kestrin", "names": ["Kestrin", "Kestrin Pro"], "limit": 200}' | jq -r '.names[] | "\(.name): \(.hits)"'
