import earshot

client = earshot.Client()
task = client.tasks.submit(
    "chatassistant",
    prompt="best running shoes",
    country="DE",
    priority=5,
    idempotency_key="shoes-de-1",
)
answer = task.wait()
print(task.record["task"]["status"])
print(answer["text"])
