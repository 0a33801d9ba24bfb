"""Posts a digest of a tracker to an incoming webhook of Slack.

TRACKER is the name of the tracker, SLACK_WEBHOOK_URL the address of the incoming webhook, and
DAYS the length of the period, 7 by default. The period before is as long.
"""

import html
import os
from datetime import date, timedelta

import httpx

import earshot

tracker = os.environ["TRACKER"]
days = int(os.environ.get("DAYS", "7"))
since = str(date.today() - timedelta(days=days - 1))
client = earshot.Client()


def visibility():
    for row in client.trackers.metrics(tracker, metric="visibility", by="brand", from_=since):
        if row["value"] is not None:
            yield f"{row['brand']}: {row['value']:.0%}, {row['rerun.low']:.0%} to {row['rerun.high']:.0%} if re-run"


def changes():
    rows = client.trackers.compare(tracker, metric="visibility,citationRate", from_=since)
    total = [row for row in rows if row["target"] == "*"]  # absent if there is one target
    return [row["summary"] for row in total or rows if row["verdict"] == "moved"]


def alerts():
    return [a["summary"] for a in client.alerts.list(tracker, open=True) if a["raisedAt"] >= since]


def new_domains():
    report = client.trackers.sources(tracker, by="domain", from_=since, since=True)
    gained = [row for row in report["rows"] if row.get("since", {}).get("state") == "gained"]
    return dict.fromkeys(f"{row['domain']} ({row['type']})" for row in gained)


def section(title, lines):
    text = "\n".join(f"• {html.escape(line, quote=False)}" for line in lines) or "none"
    return {"type": "section", "text": {"type": "mrkdwn", "text": f"*{title}*\n{text}"[:3000]}}


title = f"{client.trackers.get(tracker)['title']}: the last {days} days"
message = {
    "text": title,  # what notifications show
    "blocks": [
        {"type": "header", "text": {"type": "plain_text", "text": title[:150]}},
        section("Visibility", visibility()),
        section("Changes beyond normal variation", changes()),
        section("Open alerts", alerts()),
        section("Newly cited domains", new_domains()),
    ],
}
httpx.post(os.environ["SLACK_WEBHOOK_URL"], json=message).raise_for_status()
