ask() { curl -s "$EARSHOT_URL/v1/monitor/chatassistant" -H "Authorization: Bearer $1" --json "$2" | jq -r .error.code; }
ask "$EARSHOT_API_KEY" '{"prompt": "best running shoes", "country": "usa"}'   # VALIDATION_ERROR
ask ear_live_wrong '{"prompt": "best running shoes", "country": "US"}'        # INVALID_API_KEY
curl -s "$EARSHOT_URL/v1/trackers/nobody" -H "Authorization: Bearer $EARSHOT_API_KEY" | jq -r .error.code   # RESOURCE_NOT_FOUND
