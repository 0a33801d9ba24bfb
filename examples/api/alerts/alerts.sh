curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/history/alerts?open=true" -H "Authorization: Bearer $EARSHOT_API_KEY" | jq -r '.alerts[].summary'
