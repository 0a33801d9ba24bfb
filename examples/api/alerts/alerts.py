import earshot

client = earshot.Client()
for alert in client.alerts.list("history", open=True):
    print(alert["summary"])
