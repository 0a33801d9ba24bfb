import earshot

client = earshot.Client()
rows = client.trackers.metrics("history", metric="visibility", by="brand")
for row in rows:  # pandas.DataFrame(rows) makes a table
    print(f"{row['brand']}: {row['value']:.0%}, {row['rerun.low']:.0%} to {row['rerun.high']:.0%}")
