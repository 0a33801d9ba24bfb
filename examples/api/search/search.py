import earshot

client = earshot.Client()
answer = client.ask(
    "websearch",
    query="trail running shoes",
    country="DE",
    include={"searchoverview": {}},
    idempotency_key="shoes-1",
)
print(answer.result["organicResults"][0]["link"])
