jq -n '{tracker: "board", days: 28, expiresAt: (now + 30*86400 | todate), password: "a long one"}' |
  curl -sS --fail-with-body "$EARSHOT_URL/v1/shares" -H "Authorization: Bearer $EARSHOT_API_KEY" --json @- | jq -r .url
