from datetime import datetime, timedelta, timezone

import earshot

client = earshot.Client()
link = client.shares.create(
    tracker="board",
    days=28,
    expires_at=datetime.now(timezone.utc) + timedelta(days=30),
    password="a long one",
)
print(link["url"])
