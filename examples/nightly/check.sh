#!/usr/bin/env bash
# Exits with status 1 if BRAND became less visible in TRACKER by more than normal variation.
# Compares the last 28 days with the 28 days before; if SINCE is set, the days from SINCE on
# with as many days before.
set -euo pipefail

report=$(curl -sS --fail-with-body -G "$EARSHOT_URL/v1/trackers/$TRACKER/compare" -H "Authorization: Bearer $EARSHOT_API_KEY" \
	-d metric=visibility --data-urlencode "having=brand:$BRAND" ${SINCE:+-d "from=$SINCE"})
# The row of all targets decides. The rows of single targets say where the brand fell.
jq -r --arg brand "$BRAND" '.rows[0] // error("no visibility of \($brand)") | "**\(.verdict)**: \(.summary)"' <<<"$report" |
	tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
jq -r '.rows[1:][] | "- \(.verdict): \(.summary)"' <<<"$report" | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
jq -e '.rows[0] | .verdict != "moved" or .change > 0' <<<"$report" >/dev/null
