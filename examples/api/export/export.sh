curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/history/export?table=mentions&format=csv" -H "Authorization: Bearer $EARSHOT_API_KEY" > mentions.csv
