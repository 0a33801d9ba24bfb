import earshot

client = earshot.Client()
tried = client.trackers.try_names(
    "history", brand="Kestrin", names=["Kestrin", "Kestrin Pro"], limit=200
)
for name in tried["names"]:
    print(f"{name['name']}: {name['hits']}")
