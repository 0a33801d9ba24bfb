import earshot

client = earshot.Client()
report = client.trackers.compare("history", metric="visibility", having="brand:Ollaro")
for row in report["rows"]:
    print(f"{row['verdict']}: {row['summary']}")
