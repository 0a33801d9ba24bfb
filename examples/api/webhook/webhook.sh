curl -sS --fail-with-body "$EARSHOT_URL/v1/async/task" -H "Authorization: Bearer $EARSHOT_API_KEY" \
  --json '{"taskType": "CHATASSISTANT", "payload": {"prompt": "best running shoes", "country": "DE"}, "webhook": {"url": "'"$HOOK_URL"'"}}' | jq -r .task.status
