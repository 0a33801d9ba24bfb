import earshot

client = earshot.Client()
client.trackers.report("history", format="md").save("report.md")
