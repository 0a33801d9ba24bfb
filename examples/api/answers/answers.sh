curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/history/answers?target=chatassistant/US&outcome=answered&limit=3" -H "Authorization: Bearer $EARSHOT_API_KEY" |
  jq -r '.answers[] | "\(.id) \(.prompt)"'
