import os

import earshot

client = earshot.Client()
task = client.tasks.submit(
    "chatassistant",
    prompt="best running shoes",
    country="DE",
    webhook=os.environ["HOOK_URL"],
)
print(task.record["task"]["status"])
