import earshot

client = earshot.Client()
answer = client.ask("chatassistant", prompt="best running shoes", country="US")
print(answer.result["surface"])
print(answer.result["text"])
