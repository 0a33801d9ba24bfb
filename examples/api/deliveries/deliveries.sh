curl -sS --fail-with-body "$EARSHOT_URL/v1/webhooks/test" -H "Authorization: Bearer $ADMIN_KEY" --json '{"url": "'"$HOOK_URL"'"}' | jq .test.status
curl -sS --fail-with-body "$EARSHOT_URL/v1/webhooks/deliveries?limit=1" -H "Authorization: Bearer $EARSHOT_API_KEY" | jq -r '.deliveries[].url'
