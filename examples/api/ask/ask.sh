curl -sS --fail-with-body "$EARSHOT_URL/v1/monitor/chatassistant" -H "Authorization: Bearer $EARSHOT_API_KEY" \
  --json '{"prompt": "best running shoes", "country": "US"}' | jq -r '.result | .surface, .text'
