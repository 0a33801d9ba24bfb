import earshot

client = earshot.Client()
report = client.trackers.metrics("history", metric="visibility", by="brand")
for row in earshot.rows(report):  # pandas.DataFrame(earshot.rows(report)) makes a table
    print(f"{row['brand']}: {row['value']:.0%}, {row['rerun.low']:.0%} to {row['rerun.high']:.0%}")
