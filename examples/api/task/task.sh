id=$(curl -sS --fail-with-body "$EARSHOT_URL/v1/async/task" -H "Authorization: Bearer $EARSHOT_API_KEY" \
  --json '{"taskType": "CHATASSISTANT", "payload": {"prompt": "best running shoes", "country": "DE"}, "priority": 5, "idempotencyKey": "shoes-de-1"}' |
  jq -r .task.id)
until curl -sS --fail-with-body "$EARSHOT_URL/v1/async/task/$id" -H "Authorization: Bearer $EARSHOT_API_KEY" |
  jq -er 'select(.task.finishedAt) | .task.status, .result.text'; do sleep 1; done
