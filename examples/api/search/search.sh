curl -sS --fail-with-body "$EARSHOT_URL/v1/monitor/websearch" -H "Authorization: Bearer $EARSHOT_API_KEY" -H 'Idempotency-Key: shoes-1' \
  --json '{"query": "trail running shoes", "country": "DE", "include": {"searchoverview": {}}}' | jq -r '.result.organicResults[0].link'
