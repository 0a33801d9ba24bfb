import earshot

client = earshot.Client()
mistakes = [
    lambda: client.ask("chatassistant", prompt="best running shoes", country="usa"),
    lambda: earshot.Client(key="ear_live_wrong").ask(
        "chatassistant", prompt="best running shoes", country="US"
    ),
    lambda: client.trackers.get("nobody"),
]
for mistake in mistakes:
    try:
        mistake()
    except earshot.EarshotError as error:
        print(error.code)
