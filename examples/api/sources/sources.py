import earshot

client = earshot.Client()
report = client.trackers.sources("history", by="domain", limit=10)
for row in report["rows"]:
    print(f"{row['target']} {row['domain']} ({row['type']}): {row['citations']}")
