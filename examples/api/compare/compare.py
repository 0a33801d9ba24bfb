import earshot

client = earshot.Client()
for row in client.trackers.compare("history", metric="visibility", having="brand:Ollaro"):
    print(f"{row['verdict']}: {row['summary']}")
