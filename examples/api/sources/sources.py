import earshot

client = earshot.Client()
report = client.trackers.sources("history", by="domain", limit=10)
for row in report["rows"]:
    if row["target"] == "*":
        print(f"{row['domain']} ({row['type']}): {row['citations']}")
