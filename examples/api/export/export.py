import earshot

client = earshot.Client()
client.trackers.export("history", table="mentions", format="csv").save("mentions.csv")
