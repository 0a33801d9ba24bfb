curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/history/compare?metric=visibility&having=brand:Ollaro" -H "Authorization: Bearer $EARSHOT_API_KEY" |
  jq -r '.rows[] | "\(.verdict): \(.summary)"'
