curl -sS --fail-with-body "$EARSHOT_URL/v1/trackers/history/report?format=md" -H "Authorization: Bearer $EARSHOT_API_KEY" > report.md
